import { FileInput } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useRef, useState, type ReactNode } from 'react';
import { useTexts } from '../../../language/texts.tsx';
import { texts } from './texts.ts';

/** A copy of the limit in contract/dashboard/campaigns.ts. */
const MOST_BYTES = 2 * 1024 * 1024;

type Props = { disabled?: boolean; onRead: (text: string | null) => void };

/** The component is a file input for recipients. `onChange` gets the text of the chosen file. */
export function RecipientsFile({ disabled, onRead }: Props): ReactNode {
  const say = useTexts(texts);
  const [chosen, setChosen] = useState<File | null>(null);
  const [isEmpty, setIsEmpty] = useState(false);
  const isTooLarge = (chosen?.size ?? 0) > MOST_BYTES;
  const newest = useRef<File | null>(null);
  const read = (file: File, text: string): void => {
    // Another file may have been chosen since.
    if (file !== newest.current) return;
    if (text.trim() === '') setIsEmpty(true);
    else onRead(text);
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
      value={chosen}
      error={isTooLarge ? say('file_too_large') : isEmpty ? say('file_empty') : undefined}
      onChange={(file) => {
        newest.current = file;
        setChosen(file);
        setIsEmpty(false);
        onRead(null);
        if (file && file.size <= MOST_BYTES) void file.text().then((text) => read(file, text));
      }}
    />
  );
}
