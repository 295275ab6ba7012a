"""The model that is trained: a small transformer from scratch, or a pretrained one, behind one interface.

Both are causal language models of ``transformers``; they differ in where weights and tokenizer come from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from problems import Problem, text_of
from settings import SCRATCH
from settings import Policy as Settings
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    LlamaConfig,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

from orrery.model import UsageError

END, UNKNOWN = "<end>", "<unknown>"
# A token is a word with the space before it, so that tokens join to the text.
WORD = Regex(r"\s*\(?[\w:-]+|\s*[^\s\w]")
POSITIONS = 4096
SPREAD = 0.05  # of the first weights: with the usual 0.02 so small a model is slow to start


class Policy:
    """A causal language model that replies to problems; ``model`` has its weights."""

    def __init__(self, settings: Settings, texts: Sequence[str]) -> None:
        """Make the model; one from scratch knows the words of ``texts``."""
        self.settings = settings
        scratch = settings.model == SCRATCH
        self.tokenizer = (
            _loaded(AutoTokenizer, settings.model)
            if not scratch
            else _pieces(texts, settings.pieces)
            if settings.pieces
            else _words(texts)
        )
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        model = (
            _small(settings, len(self.tokenizer))
            if scratch
            else _loaded(AutoModelForCausalLM, settings.model)
        )
        if settings.device == "cuda" and not torch.cuda.is_available():
            raise UsageError("policy.device 'cuda'", "there is no such device here", "give cpu")
        self.model: Any = model.to(settings.device, torch.float32)
        # A penalty on repetition, as some models bring, would draw from another distribution than is learnt.
        plain: Any = GenerationConfig  # untyped there
        self.model.generation_config = plain(
            eos_token_id=self.tokenizer.eos_token_id, pad_token_id=self.tokenizer.pad_token_id
        )
        self.model.eval()  # no dropout: what is drawn and what is learnt must come from one distribution

    def prompt(self, problem: Problem) -> list[int]:
        """Return the tokens of what the model reads: in the format of its chats, if it has one."""
        if not self.tokenizer.chat_template:
            return self._tokens(text_of(problem))
        said = problem.prompt
        messages = [{"role": "user", "content": said}] if isinstance(said, str) else said
        text = self.tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        return self._tokens(str(text))

    def gold(self, problem: Problem) -> list[int]:
        """Return the tokens of the right reply, with the one that ends it."""
        return [*self._tokens(problem.gold), self.tokenizer.eos_token_id]

    def _tokens(self, text: str) -> list[int]:
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def text(self, reply: Sequence[int]) -> str:
        """Return a reply as text."""
        return str(self.tokenizer.decode(list(reply), skip_special_tokens=True))

    @torch.no_grad()
    def replies(self, problems: Iterable[Problem], temperature: float) -> list[list[int]]:
        """Return a reply to each, the end included; drawn, or the likeliest words with temperature 0."""
        prompts = [self.prompt(each) for each in problems]
        drawn = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0}
        how: dict[str, Any] = drawn if temperature else {"do_sample": False}
        found = list[list[int]]()
        for start in range(0, len(prompts), self.settings.drawn_at_once):
            part = prompts[start : start + self.settings.drawn_at_once]
            ids, mask = self._padded(part, [[]] * len(part))
            with self._precision():
                made = self.model.generate(
                    input_ids=ids,
                    attention_mask=mask,
                    max_new_tokens=self.settings.reply,
                    **how,
                )
            found += [self._until_end(reply) for reply in made[:, ids.shape[1] :].tolist()]
        return found

    def _until_end(self, reply: list[int]) -> list[int]:
        end = self.tokenizer.eos_token_id
        return reply[: reply.index(end) + 1] if end in reply else reply

    def log_likelihood(self, prompts: Sequence[list[int]], replies: Sequence[list[int]]) -> Tensor:
        """Return the logarithm of the probability of each whole reply to its prompt."""
        ids, mask = self._padded(prompts, replies)
        longest = max(map(len, replies))
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        with self._precision():
            output = self.model(
                input_ids=ids, attention_mask=mask, position_ids=positions, logits_to_keep=longest + 1
            )
        said, wanted = output.logits[:, :-1].float(), ids[:, -longest:]
        each = -torch.nn.functional.cross_entropy(said.transpose(1, 2), wanted, reduction="none")
        return (each * mask[:, -longest:]).sum(1)

    def _precision(self) -> torch.autocast:
        mixed = self.settings.precision == "bfloat16"
        return torch.autocast(self.settings.device, torch.bfloat16, enabled=mixed)

    def _padded(self, prompts: Sequence[list[int]], replies: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
        """Return tokens and mask, prompts flush right and replies flush left where they meet."""
        left, right = max(map(len, prompts)), max(map(len, replies))
        ids = torch.full((len(prompts), left + right), self.tokenizer.pad_token_id)
        mask = torch.zeros_like(ids)
        for number, (prompt, reply) in enumerate(zip(prompts, replies, strict=True)):
            place = slice(left - len(prompt), left + len(reply))
            ids[number, place], mask[number, place] = torch.tensor(prompt + reply), 1
        return ids.to(self.settings.device), mask.to(self.settings.device)


def _words(texts: Sequence[str]) -> PreTrainedTokenizerBase:
    """Return a tokenizer whose words are those of ``texts``."""
    split = pre_tokenizers.Split(WORD, "isolated")
    words = sorted({word for text in texts for word, _ in split.pre_tokenize_str(text)})
    core = Tokenizer(models.WordLevel({word: at for at, word in enumerate([END, UNKNOWN, *words])}, UNKNOWN))
    core.pre_tokenizer, core.decoder = split, decoders.Fuse()
    return _fast(core, unk_token=UNKNOWN)


def _pieces(texts: Sequence[str], count: int) -> PreTrainedTokenizerBase:
    """Return a tokenizer of bytes and the byte pairs that are most frequent in ``texts``."""
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    core.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=count,
            special_tokens=[END],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    return _fast(core)


def _fast(core: Tokenizer, **special: str) -> PreTrainedTokenizerBase:
    fast: Any = PreTrainedTokenizerFast  # untyped there
    made: PreTrainedTokenizerBase = fast(tokenizer_object=core, eos_token=END, **special)
    return made


def _small(settings: Settings, words: int) -> Any:
    shape = LlamaConfig(
        vocab_size=words,
        hidden_size=settings.width,
        intermediate_size=2 * settings.width,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        max_position_embeddings=POSITIONS,
        tie_word_embeddings=True,
        initializer_range=SPREAD,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=0,
    )
    made: Any = AutoModelForCausalLM
    return made.from_config(shape)


def _loaded(kind: Any, name: str) -> Any:
    try:
        return kind.from_pretrained(name)
    except (OSError, ValueError) as error:
        said = str(error).strip().partition("\n")[0]
        mend = f"give a folder or id of a causal language model, or '{SCRATCH}'"
        raise UsageError(f"policy.model '{name}'", f"cannot be loaded: {said}", mend) from error
