/**
 * Written by `node bench/knowledge/train-decision.ts --write`: do not edit. Trained on the 1185 questions of
 * 39 domains in `bench/knowledge/*.json` and `training`. The thresholds allow 3 % wrong answers on domains that were
 * left out of the training.
 */
export const ANSWER_WEIGHTS: readonly number[] = [
  -5.7698, 0.0588, 3.4075, 2.5696, 0.5319, -1.1554, 2.3693, -0.3281, -2.801, -1.4555, 0.2671, 2.6008, -0.2016, -0.6441,
  -1.2511, 0.0096, -0.1581, 0.349, 1.6504, 0.6035, 0.3794, 0.0834, 0.9423, 3.2496, 1.4289, -2.2182,
];

export const SECTION_WEIGHTS: readonly number[] = [
  -1.9092, -0.6636, 1.5885, -0.8238, -0.4005, -1.3341, 1.9044, -1.7358, 0.4017, -0.6647, -0.0364, 1.7127, 0.6835,
  -0.898, -1.015, 0.2468, 0.2319, -1.1874, 1.429, 0.8304, 1.5142, 0.2159, 1.4434, 0.0935, -0.0557, -1.7004, 1.2059,
  0.2482, 2.1382,
];

/** From this chance on, the agent states a candidate as the answer. */
export const ANSWER_AT = 0.75;

/** From this chance on, the agent asks which section the person means. */
export const ASK_AT = 0.47;
