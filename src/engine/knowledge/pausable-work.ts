/** Work that can be paused, because each step is short and the result is returned at the end. */
export type PausableWork<Result> = Generator<unknown, Result, void>;

export const runToEnd = <Result>(work: PausableWork<Result>): Result => {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
};
