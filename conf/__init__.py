"""kipwatch's own settings: the files, and what reads and checks them."""
