import { Refusal } from '../../../contract/problems.ts';
import { DocumentFault } from '../../engine/documents/document-fault.ts';
import { FilesBusy, type ReadFiles } from './read-files.ts';

/** The text of a file that a person adds; refuses what cannot become a document, with the reason. */
export const createReadUpload =
  (files: Pick<ReadFiles, 'read'>) =>
  async (orgId: string, name: string, bytes: Uint8Array): Promise<string> => {
    try {
      return (await files.read(orgId, { kind: 'file', bytes, hints: { name } })).text;
    } catch (error) {
      if (error instanceof FilesBusy) throw new Refusal('unavailable', error.message);
      if (!(error instanceof DocumentFault)) throw error;
      const errors = [{ pointer: '', code: error.code, detail: error.message }];
      throw new Refusal('file_not_readable', error.message, { errors });
    }
  };
