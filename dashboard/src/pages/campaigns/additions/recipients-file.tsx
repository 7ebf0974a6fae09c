import { FileInput } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useRef, type ReactNode } from 'react';
import { useTexts } from '../../../language/texts.tsx';
import { texts } from './texts.ts';

/** A copy of the limit in contract/dashboard/campaigns.ts. */
const MOST_BYTES = 2 * 1024 * 1024;

/** `text`: null if no file is chosen, or while the file is read. */
export type ChosenFile = { file: File | null; text: string | null };
export const NO_FILE: ChosenFile = { file: null, text: null };
export const hasRecipients = ({ text }: ChosenFile): boolean => text !== null && text.trim() !== '';

type Props = { disabled?: boolean; chosen: ChosenFile; onChoose: (chosen: ChosenFile) => void };

/** The component is a file input for recipients. `onChoose` is called again when the text of the file has been read. */
export function RecipientsFile({ disabled, chosen, onChoose }: Props): ReactNode {
  const say = useTexts(texts);
  const isTooLarge = (chosen.file?.size ?? 0) > MOST_BYTES;
  const isEmpty = chosen.text !== null && !hasRecipients(chosen);
  const newest = useRef<File | null>(null);
  const read = (file: File, text: string): void => {
    // Another file may have been chosen since.
    if (file === newest.current) onChoose({ file, text });
  };
  return (
    <FileInput
      label={say('file')}
      description={say('file_hint')}
      placeholder={say('file_choose')}
      accept=".csv,.txt,.jsonl,.ndjson,text/csv"
      leftSection={<IconFileUpload size={16} />}
      clearable
      clearButtonProps={{ 'aria-label': say('file_remove') }}
      maw={520}
      disabled={disabled}
      value={chosen.file}
      error={isTooLarge ? say('file_too_large') : isEmpty ? say('file_empty') : undefined}
      onChange={(file) => {
        newest.current = file;
        onChoose({ file, text: null });
        if (file && file.size <= MOST_BYTES) void file.text().then((text) => read(file, text));
      }}
    />
  );
}
