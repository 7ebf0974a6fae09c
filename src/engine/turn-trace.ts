/** The provider of a turn, with the steps of the turn in their order. */
export type TurnTrace = {
  provider: string;
  steps: { kind: string; detail: string; [more: string]: unknown }[];
};
