/** The reason why a file cannot become a document. The message of the error is for the person who uploaded the file. */
export type DocumentFaultCode =
  | 'empty'
  | 'encrypted'
  | 'broken'
  | 'scanned'
  | 'letters_missing'
  | 'unsupported'
  | 'encoding'
  | 'too_large'
  | 'too_many_pages'
  | 'too_complex';

export class DocumentFault extends Error {
  readonly code: DocumentFaultCode;

  constructor(code: DocumentFaultCode, detail: string) {
    super(detail);
    this.code = code;
  }
}

export const tooComplex = (): DocumentFault =>
  new DocumentFault('too_complex', 'The file is nested too deeply, or takes too long to read.');
