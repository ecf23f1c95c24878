"""The kernels in plain numpy: the executable specification, and what runs where no native module is.

One subject a file, the same names and arguments as the native module's. `reparto.kernels` chooses.

How texts are compared, in the order of the work:

    form        text -> comparison form (NFKC, case, look-alikes, typography folded; figures and scripts kept)
    folding     the table behind it, `folding.txt`, which the native kernels compile in
    shingles    form -> units (words, or characters where there are no spaces) -> hashes of runs of them
    sketch      hashes -> a signature that gives resemblance and containment, with header, to bytes and back
    overlaps    signatures -> pairs over a threshold, by an inverted list; star groups in rank order
    terms       texts -> distinct terms, and sums of weights over them
    alignment   two texts -> sentences that belong together -> stretches that differ
    credits     datelines, bylines, stamps: what states no fact of the story
    wording     sentence -> tokens: one spelling of a figure, units, negations, capitals
    lexicon     `words.txt`: months, units, opposites, negations, numbers, in English and Spanish
    facts       stretches that differ -> a copy or a revision, and why
    length      text -> an estimate of its tokens
"""
