/**
 * The reason why the program cannot start: a sentence for the operator, and the step that solves it. The error is
 * printed without its stack.
 */
export class StartError extends Error {
  readonly fix: string;

  constructor(message: string, fix: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
    this.fix = fix;
  }
}
