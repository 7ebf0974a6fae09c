/** Work that can be paused: each step is short, and what it comes to is returned at the end. */
export type Steps<Result> = Generator<unknown, Result, void>;

export const runToEnd = <Result>(steps: Steps<Result>): Result => {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};
