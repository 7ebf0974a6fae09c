import type { ChatMessage } from '../../contract/chat.ts';
import type { Client } from './client.ts';
import type { Waiting } from './stored-state.ts';
import { newName } from './outbox.ts';

/** A copy of MAX_ATTACHMENT_BYTES from the contract, because an import would bundle the schema library. */
const MAX_BYTES = 10 * 1024 * 1024;

export type UploadsListener = { onSent(message: ChatMessage, answering: boolean): void; onChange(): void };

/**
 * Holds the files that are being uploaded. The uploads last only as long as the page, because browser storage does not
 * contain files.
 */
export function createUploads(client: Client, { onSent, onChange }: UploadsListener) {
  const files = new Map<string, { file: File; failed: boolean; sent: number }>();

  async function send(name: string, file: File): Promise<void> {
    const progress = (sent: number): void => {
      files.set(name, { file, failed: false, sent });
      onChange();
    };
    progress(0);
    try {
      const { message, answering } = await client.sendFile(name, file, progress);
      files.delete(name);
      onSent(message, answering);
    } catch {
      files.set(name, { file, failed: true, sent: 0 });
      onChange();
    }
  }

  return {
    /** Returns false if the file is empty or too large. */
    put: (file: File): boolean => {
      const fits = file.size > 0 && file.size <= MAX_BYTES;
      if (fits) void send(newName(), file);
      return fits;
    },
    /** Sends the file again under the same ID, so that it is stored once even if the first response was lost. */
    again: (name: string): boolean => {
      const known = files.get(name);
      if (known) void send(name, known.file);
      return known !== undefined;
    },
    waiting: (): Waiting[] =>
      [...files].map(([client_id, { file, failed, sent }]) => ({
        client_id,
        text: file.name,
        at: 0,
        ...(failed ? { failed: true } : { sent }),
      })),
  };
}
