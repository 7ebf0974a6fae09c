/**
 * Written by `node bench/knowledge/train-decision.ts --write`: do not edit. Trained on the 1473 questions of
 * 51 domains in `bench/knowledge/*.json`, `training`, `new-trades` and `second-trades`. The thresholds allow 3 % wrong answers on domains that were
 * left out of the training.
 */
export const ANSWER_WEIGHTS: readonly number[] = [
  -5.9143, -0.1752, 4.3198, 3.3374, 0.3815, -1.2689, 2.2842, -0.4572, -3.7899, -0.9493, 0.0552, 2.5627, 0.2863, -0.7063,
  -0.9032, 0.1314, -0.1639, 0.2662, 1.8952, 0.554, 0.2063, -1.0529, 1.5173, 3.8309, 0.4262, -2.6195, 1.5384, 0.3296,
  0.2955,
];

export const SECTION_WEIGHTS: readonly number[] = [
  -2.8894, -1.0081, 1.9819, 0.5475, -0.556, -1.7402, 1.5533, -0.7122, 0.2993, -0.4615, -0.0574, 1.4375, 0.6948, -0.8131,
  -0.5797, 0.0986, -0.3194, 0.0316, 1.3385, 0.3851, 0.9247, 0.1598, 1.7289, -0.047, -0.0179, -1.3706, -1.6969, 0.8969,
  -0.0459, -0.4086, 1.4087, 2.0032,
];

/** From this chance on, the agent states a candidate as the answer. */
export const ANSWER_AT = 0.8;

/** From this chance on, the agent asks which section the person means. */
export const ASK_AT = 0.52;
