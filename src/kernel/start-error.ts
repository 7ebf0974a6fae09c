/** Why the program cannot start: one sentence for the operator, and what to do about it. Printed without a stack. */
export class StartError extends Error {
  readonly cure: string;

  constructor(message: string, cure: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
    this.cure = cure;
  }
}
