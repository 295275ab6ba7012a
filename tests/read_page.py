"""A reader of HTML pages for tests: the elements with their attributes, and the text."""

from html.parser import HTMLParser

VOID = {"wbr", "meta", "br", "link", "input", "hr"}


class ReadPage(HTMLParser):
    """What a page shows, and whether its elements close in order."""

    def __init__(self, content):
        super().__init__()
        self.open, self.elements, self.text = [], [], []
        self.feed(content)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        while tag == "li" and self.open[-1] == "p":  # the standard lets this be left open
            self.open.pop()
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open[-1:] != ["style"]:
            self.text.append(data)

    def values(self, *names):
        """The values of attributes of these names."""
        return [attributes[name] for _, attributes in self.elements for name in names if name in attributes]
