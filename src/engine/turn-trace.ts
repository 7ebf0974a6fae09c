/** The provider of a turn, and its steps in their order. */
export type TurnTrace = {
  provider: string;
  steps: { kind: string; detail: string; [more: string]: unknown }[];
};
