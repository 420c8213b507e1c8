"""The dataflow of the random programs of generate.py: what one state does."""
