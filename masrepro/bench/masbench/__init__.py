"""MASBench: generated questions with exact control of one structural axis (MAS-Orchestra, arXiv 2601.14652)."""
