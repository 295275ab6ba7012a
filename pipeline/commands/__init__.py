"""Commands of ``orrery`` that come in groups, a file each: ``score``, ``export``, ``import``."""
