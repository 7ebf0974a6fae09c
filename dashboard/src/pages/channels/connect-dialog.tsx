import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { isChannelKind } from '../../../../contract/channel-kinds.ts';
import type { ConnectedChannel } from '../../../../contract/dashboard/channels.ts';
import { useTexts } from '../../language/texts.tsx';
import { useOnlyAgent } from '../../parts/agents/use-only-agent.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { useShownOnceGuard } from '../../parts/shown-once.tsx';
import { Catalogue } from './catalogue.tsx';
import { ConnectForm } from './connect-form.tsx';
import { kindNames } from '../../parts/channels/kind-names.ts';
import { SecretOnce } from './secret-once.tsx';
import { texts } from './texts.ts';

/**
 * `chosen`: empty for the catalog, otherwise the kind whose form is shown. The URL of the page records whether catalog
 * or form is open.
 */
type Props = {
  chosen: string | undefined;
  agentId: string | null;
  onChoose: (kind: string) => void;
  onClose: () => void;
};

/**
 * The next step of a web chat is its script on the channel's page. The web chat's secret is only for signed-in
 * visitors.
 */
const hasNextStep = ({ kind, secret, verify_token }: ConnectedChannel): boolean =>
  kind !== 'web_chat' && Boolean(secret ?? verify_token);

/**
 * The dialog shows the catalog, then the form of a kind. For a kind with a generated secret, a third step shows the
 * secret once.
 */
export function ConnectDialog({ chosen, agentId, onChoose, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  const sayKind = useTexts(kindNames);
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
    <Dialog
      opened={chosen !== undefined || made !== null}
      onClose={made ? guard.ask : onClose}
      closeOnClickOutside={made !== null}
      title={title}
      // A web chat needs a wide dialog, because its preview is beside its fields.
      size={kind === 'web_chat' && !made ? 760 : 'lg'}
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
    </Dialog>
  );
}
