"""Which lines PyTorch runs, so that the harness knows it without loading PyTorch.

Inductor leaves recurrent networks out: torch.compile runs nn.LSTM and its like as they are, and a loop over steps in
Python it writes out step by step, which takes minutes. The same goes for chains of hundreds of operations."""

PROGRAMS = ("layer", "product", "transpose", "conv", "reduce", "attention", "gradient", "layout", "lstm", "chain", "call",
            "small")
WITHOUT = {("gradient", "tdma"), ("gradient", "mixture"), ("gradient", "mixture_value")}
RECURRENT = {("layout", "rnn-grad"), ("layout", "rnn-columns"), ("layout", "gru"), ("lstm", "sum"), ("lstm", "grad")}


def has(peer, program, variant):
    """Whether this peer, `torch` or `inductor`, runs the line."""
    if program not in PROGRAMS or (program, variant) in WITHOUT:
        return False
    if peer == "inductor":
        return (program, variant) not in RECURRENT and not (program == "chain" and not variant.endswith("-100"))
    return True
