import { ActionIcon, FileButton, Loader } from '@mantine/core';
import { IconPaperclip, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTexts } from '../../language/texts.tsx';
import { useProblemText } from '../../parts/problem-alert.tsx';
import { sizeTexts } from '../../language/format.ts';
import { fileTexts } from './file-texts.ts';
import { type ChosenFile, MAX_FILES, MAX_MEBIBYTES } from './use-chosen-files.ts';
import classes from './files.module.css';

type Props = { files: readonly ChosenFile[]; onRemove: (key: number) => void };

/** Shows the files of the next reply. */
export function ChosenFiles({ files, onRemove }: Props): ReactNode {
  const say = useTexts(fileTexts);
  return (
    <ul className={classes.chosen} aria-label={say('chosen')} aria-live="polite" hidden={files.length === 0}>
      {files.map(({ key, file, state, why }) => (
        <li key={key} data-state={state}>
          <span dir="auto" className={classes.name}>
            {file.name}
          </span>
          <span className={classes.size}>{sizeTexts(say.language, file.size)}</span>
          {state === 'failed' && <Reason why={why} />}
          {state === 'sending' ? (
            <Loader size={14} role="img" aria-label={say('sending')} />
          ) : (
            <ActionIcon
              size={24}
              variant="subtle"
              color="gray"
              aria-label={say('remove', { name: file.name })}
              onClick={() => onRemove(key)}
            >
              <IconX size={14} />
            </ActionIcon>
          )}
        </li>
      ))}
    </ul>
  );
}

function Reason({ why }: { why: unknown }): ReactNode {
  const say = useTexts(fileTexts);
  const { title, detail } = useProblemText(why);
  const isOurs = why === 'file_empty' || why === 'file_too_large' || why === 'file_too_many';
  const limits = { size: MAX_MEBIBYTES, count: MAX_FILES };
  return <span className={classes.why}>{isOurs ? say(why, limits) : `${title} ${detail}`}</span>;
}

export function AttachButton({ onChoose }: { onChoose: (files: File[]) => void }): ReactNode {
  const say = useTexts(fileTexts);
  return (
    <FileButton multiple onChange={onChoose}>
      {(props) => (
        <ActionIcon {...props} size={34} variant="default" aria-label={say('attach')}>
          <IconPaperclip size={18} />
        </ActionIcon>
      )}
    </FileButton>
  );
}
