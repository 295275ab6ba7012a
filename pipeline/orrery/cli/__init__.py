"""Commands of ``orrery`` that are no stage on one of our domains, a file each or for each group of them."""
