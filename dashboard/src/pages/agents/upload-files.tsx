import { FileButton, Text, UnstyledButton } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type DragEvent, type ReactNode } from 'react';
import { cutText } from '../../../../contract/cut-text.ts';
import { MAX_NAME_CHARACTERS } from '../../../../contract/limits.ts';
import { call, Problem } from '../../api/client.ts';
import { useTexts } from '../../language/texts.tsx';
import { notifyFailed } from '../../parts/notify.tsx';
import { useProblemText } from '../../parts/problem-alert.tsx';
import { useIsHere } from '../../parts/use-is-here.ts';
import { useOrganization } from '../../session/session.ts';
import { faultWord, sourceTexts } from './document-source-texts.ts';
import classes from './document-sources.module.css';

/** A copy of the server's limit in contract/dashboard/agents.ts. */
const MEBIBYTES = 10;
const MAX_BYTES = MEBIBYTES * 1024 * 1024;

type Sent = { key: number; name: string; state: 'waiting' | 'sending' | 'added' } | Failed;
type Failed = { key: number; name: string; state: 'failed'; why: unknown };
let lastKey = 0;

type Props = { agentId: string; onAdded: (name: string) => void };

/** Files are uploaded one by one. Each file has its own result, and a failed file does not block other files. */
export function UploadFiles(props: Props): ReactNode {
  const say = useTexts(sourceTexts);
  const { sent, take } = useUploads(props);
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void take([...event.dataTransfer.files]);
  };
  return (
    <>
      <div
        className={classes.drop}
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <IconFileUpload size={22} aria-hidden />
        <Text size="sm">
          {say('drop')}{' '}
          <FileButton multiple onChange={(files) => void take(files)}>
            {(props) => (
              <UnstyledButton {...props} className={classes.choose}>
                {say('choose_files')}
              </UnstyledButton>
            )}
          </FileButton>
        </Text>
        <Text size="xs" c="dimmed">
          {say('drop_hint', { size: MEBIBYTES })}
        </Text>
      </div>
      {sent.length > 0 && (
        <ul className={classes.files} aria-label={say('files_label')} aria-live="polite">
          {sent.map((one) => (
            <li key={one.key} data-state={one.state}>
              <span dir="auto">{one.name}</span>
              {one.state === 'failed' ? <Reason why={one.why} /> : <span>{say(`file_${one.state}`)}</span>}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** An upload continues after the user has left the tab. Then a notification reports its failure. */
function useUploads({ agentId, onAdded }: Props) {
  const say = useTexts(sourceTexts);
  const org_id = useOrganization().id;
  const client = useQueryClient();
  const [sent, setSent] = useState<Sent[]>([]);
  const isHere = useIsHere();

  const put = (key: number, next: Partial<Sent>): void =>
    setSent((all) => all.map((one) => (one.key === key ? ({ ...one, ...next } as Sent) : one)));
  const take = async (files: File[]): Promise<void> => {
    const listed = files.map((file) => ({ file, key: ++lastKey }));
    setSent((all) => [...listed.map(({ file, key }) => ({ key, name: file.name, state: 'waiting' as const })), ...all]);
    for (const { file, key } of listed) {
      put(key, { state: 'sending' });
      const result = await send(file);
      put(key, result);
      if (result.state === 'added') onAdded(file.name);
      if (result.state === 'failed' && !isHere.current)
        notifyFailed(say('file_not_added', { name: `\u2068${file.name}\u2069` }));
    }
    for (const name of ['listDocuments', 'readKnowledgeUse']) void client.invalidateQueries({ queryKey: [name] });
  };
  const send = async (file: File): Promise<Partial<Sent>> => {
    if (file.size === 0) return { state: 'failed', why: say('file_empty') };
    if (file.size > MAX_BYTES) return { state: 'failed', why: say('file_too_large', { size: MEBIBYTES }) };
    try {
      const params = { org_id, agent_id: agentId };
      await call('uploadDocument', { params, query: { name: cutText(file.name, MAX_NAME_CHARACTERS) }, body: file });
      return { state: 'added' };
    } catch (why) {
      return { state: 'failed', why };
    }
  };
  return { sent, take };
}

function Reason({ why }: { why: unknown }): ReactNode {
  const say = useTexts(sourceTexts);
  const { title, detail } = useProblemText(why);
  if (typeof why === 'string') return <span>{why}</span>;
  const word = why instanceof Problem ? faultWord(why.faults[0]?.code ?? '') : null;
  return <span>{word === null ? `${title} ${detail}` : say(word)}</span>;
}
