/**
 * Written by `node bench/knowledge/train-decision.ts --write`: do not edit. Trained on the 969 questions of
 * 30 domains in `bench/knowledge/*.json`. The thresholds allow 3.5000000000000004 % wrong answers on domains that were
 * left out of the training.
 */
export const ANSWER_WEIGHTS: readonly number[] = [
  -6.8544, -0.0596, 2.1182, 2.7857, 0.2205, -1.0998, 2.6425, 0.4268, -2.8995, -1.2985, 0.6621, 0.8938, -0.7121, -0.7548,
  0.1176, -1.4422, -0.1872, 1.682, 0.9661, 1.0243, 1.4516, 1.633, 2.196,
];

export const SECTION_WEIGHTS: readonly number[] = [
  -5.317, -0.6738, 1.1716, 0.4293, -0.2669, -0.7318, 2.3567, 0.2451, -0.2633, -0.3032, 0.58, 1.2157, -0.5387, -0.8142,
  0.1003, -0.6116, -0.5396, 1.5328, 1.4696, 2.0166, 0.4482, 1.3826, 0.0317, 1.6373, 0.6776, 1.5186,
];

/** From this chance on, a candidate is stated. */
export const ANSWER_AT = 0.66;

/** From this chance on, the person is asked which section is meant. */
export const ASK_AT = 0.32;
