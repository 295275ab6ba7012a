"""Commands of ``orrery`` other than the stages: one module for each command or group of commands."""
