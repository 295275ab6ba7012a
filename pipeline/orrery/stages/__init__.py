"""The stages and other commands, one file each: read inputs, call the packages, write outputs."""
