import { Modal } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { isChannelKind } from '../../../../contract/channel-kinds.ts';
import type { ConnectedChannel } from '../../../../contract/dashboard/channels.ts';
import { useWords } from '../../language/words.tsx';
import { useOnlyAgent } from '../../parts/agents/use-only-agent.ts';
import { useShownOnceGuard } from '../../parts/shown-once.tsx';
import { Catalogue } from './catalogue.tsx';
import { ConnectForm } from './connect-form.tsx';
import { kindWords } from '../../parts/channels/kind-words.ts';
import { SecretOnce } from './secret-once.tsx';
import { words } from './words.ts';

/** `chosen`: empty for the catalogue, else the kind whose form is shown; both are in the address of the page. */
type Props = {
  chosen: string | undefined;
  agentId: string | null;
  onChoose: (kind: string) => void;
  onClose: () => void;
};

/** The next step of a web chat is its script, on the page of the channel. Its secret is only for signed-in visitors. */
const hasNextStep = ({ kind, secret, verify_token }: ConnectedChannel): boolean =>
  kind !== 'web_chat' && Boolean(secret ?? verify_token);

/** The catalogue, the form of a kind, and for a kind with a secret of ours a third step that shows it once. */
export function ConnectDialog({ chosen, agentId, onChoose, onClose }: Props): ReactNode {
  const say = useWords(words);
  const sayKind = useWords(kindWords);
  const navigate = useNavigate();
  const only = useOnlyAgent();
  const [made, setMade] = useState<ConnectedChannel | null>(null);
  const toChannel = (id: string): void =>
    void navigate({ to: '/channels/$channel_id', params: { channel_id: id }, ignoreBlocker: true });
  const guard = useShownOnceGuard(made !== null, () => {
    const id = made!.id;
    setMade(null);
    toChannel(id);
  });
  const kind = chosen !== undefined && isChannelKind(chosen) ? chosen : null;
  const title = made
    ? say('secret_title')
    : kind
      ? say('connect_kind', { kind: sayKind(`kind_${kind}`) })
      : say('connect');
  return (
    <Modal
      opened={chosen !== undefined || made !== null}
      onClose={made ? guard.ask : onClose}
      closeOnClickOutside={made !== null}
      title={title}
      size="lg"
    >
      {made ? (
        <SecretOnce made={made} guard={guard} />
      ) : kind ? (
        <ConnectForm
          key={kind}
          kind={kind}
          agentId={agentId ?? only}
          onBack={() => onChoose('')}
          onMade={(channel) => (hasNextStep(channel) ? setMade(channel) : toChannel(channel.id))}
        />
      ) : (
        <Catalogue onChoose={onChoose} />
      )}
    </Modal>
  );
}
