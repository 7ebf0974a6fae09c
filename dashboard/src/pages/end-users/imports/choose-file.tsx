import { Button, FileButton, Group, Progress, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { IMPORT_PIECE_BYTES, MAX_IMPORT_BYTES } from '../../../../../contract/dashboard/imports.ts';
import { call } from '../../../api/client.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import { texts } from './texts.ts';

const MEGABYTES = MAX_IMPORT_BYTES / (1024 * 1024);
/** A lost piece is sent again, and the server stores the last version of each piece. */
const TRIES = 3;

/** The file is sent in pieces, so that it is never completely in memory. */
export function ChooseFile({ onSent }: { onSent: (id: string) => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const [sending, setSending] = useState<{ name: string; percent: number } | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [fault, setFault] = useState<string | null>(null);
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);

  const send = async (file: File): Promise<void> => {
    setProblem(null);
    setSending({ name: file.name, percent: 0 });
    try {
      const { id } = await call('createImport', {
        params: { org_id },
        body: { name: file.name.slice(0, 255), bytes: file.size },
      });
      for (let piece = 0; piece * IMPORT_PIECE_BYTES < file.size; piece++) {
        const bytes = file.slice(piece * IMPORT_PIECE_BYTES, (piece + 1) * IMPORT_PIECE_BYTES);
        await sendPiece({ org_id, import_id: id, piece: String(piece) }, bytes);
        const sent = Math.min(file.size, (piece + 1) * IMPORT_PIECE_BYTES);
        setSending({ name: file.name, percent: Math.floor((sent / file.size) * 100) });
      }
      // A user who opened another page stays there. A user who left the page finds the file in the list of imports.
      if (isHere.current) onSent(id);
    } catch (error) {
      setProblem(error);
      setSending(null);
    }
  };
  const choose = (file: File | null): void => {
    if (!file) return;
    const wrong =
      file.size === 0 ? say('empty_file') : file.size > MAX_IMPORT_BYTES ? say('too_large', { size: MEGABYTES }) : null;
    setFault(wrong);
    if (wrong === null) void send(file);
  };
  return (
    <Card title={say('choose')} description={say('choose_hint', { size: MEGABYTES })}>
      {sending ? (
        <>
          <Text size="sm" mb={6} role="status">
            {say('uploading', { name: `\u2068${sending.name}\u2069` })}
          </Text>
          <Progress value={sending.percent} aria-label={say('uploading', { name: sending.name })} size="lg" animated />
        </>
      ) : (
        <Group>
          <FileButton accept=".csv,.txt,.tsv,text/csv,text/plain" onChange={choose}>
            {(props) => (
              <Button {...props} leftSection={<IconUpload size={16} />}>
                {say('choose')}
              </Button>
            )}
          </FileButton>
        </Group>
      )}
      {fault && (
        <Text c="red" size="sm" mt="sm" role="alert">
          {fault}
        </Text>
      )}
      {problem !== null && (
        <Group mt="md">
          <ProblemAlert problem={problem} />
        </Group>
      )}
    </Card>
  );
}

async function sendPiece(
  params: { org_id: string; import_id: string; piece: string },
  bytes: Blob,
  tries = TRIES,
): Promise<void> {
  try {
    await call('sendImportPiece', { params, body: bytes });
  } catch (error) {
    if (tries <= 1 || (error as { status?: number }).status !== 0) throw error;
    await sendPiece(params, bytes, tries - 1);
  }
}
