/**
 * Written by `node bench/knowledge/train-decision.ts --write`: do not edit. Trained on the 969 questions of
 * 30 domains in `bench/knowledge/*.json`. The thresholds allow 3.5000000000000004 % wrong answers on domains that were
 * left out of the training.
 */
export const ANSWER_WEIGHTS: readonly number[] = [
  -6.8427, -0.0967, 2.0854, 2.7691, 0.2231, -1.0856, 2.6534, 0.4202, -2.8843, -1.3049, 0.6624, 0.8973, -0.7088, -0.7547,
  0.121, -1.4413, -0.1814, 1.6761, 0.9645, 1.0014, 1.5108, 1.62, 2.2175,
];

export const SECTION_WEIGHTS: readonly number[] = [
  -5.2831, -0.6411, 1.1992, 0.4252, -0.2677, -0.6977, 2.3835, 0.1306, -0.2435, -0.3199, 0.5731, 1.1856, -0.5507,
  -0.8176, 0.1046, -0.6146, -0.5383, 1.5844, 1.4769, 2.0304, 0.4639, 1.4273, 0.0487, 1.6468, 0.6163, 1.483,
];

/** From this chance on, a candidate is stated. */
export const ANSWER_AT = 0.66;

/** From this chance on, the person is asked which section is meant. */
export const ASK_AT = 0.31;
