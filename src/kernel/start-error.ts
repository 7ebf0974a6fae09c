/**
 * The reason why the program cannot start: a sentence for the operator, and the step that solves it. The error is
 * printed without its stack.
 */
export class StartError extends Error {
  readonly cure: string;

  constructor(message: string, cure: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
    this.cure = cure;
  }
}
