/** Work that can be paused: each step is short, and the result is returned at the end. */
export type Steps<Result> = Generator<unknown, Result, void>;

export const runToEnd = <Result>(steps: Steps<Result>): Result => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};
