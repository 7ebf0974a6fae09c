import type { ReactNode } from 'react';
import type { NewInvitation } from '../../../../../contract/dashboard/organizations.ts';
import { relative } from '../../../language/format.ts';
import { common } from '../../../language/common.ts';
import { useTexts } from '../../../language/texts.tsx';
import { LinkToCopy } from '../../../parts/link-to-copy.tsx';
import { useNow } from '../../../parts/moment.tsx';
import { useSecretShown } from '../../../parts/secret-shown.ts';
import { texts } from '../texts.ts';

type Props = { invitation: NewInvitation & { url: string }; onClose: () => void };

/** Shows the link, which is shown only once. */
export function InvitationLink({ invitation, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const now = useNow();
  useSecretShown(true);
  return (
    <LinkToCopy
      label={say('link_ready', { email: invitation.email })}
      url={invitation.url}
      hint={say('link_hint', {
        role: sayCommon(`role_${invitation.role}`),
        when: relative(say.language, invitation.expires_at, now),
      })}
      copyLabel={say('copy_link')}
      onClose={onClose}
    />
  );
}

/** True if the response contains the link, for passing it on. If the result is false, Parley has mailed the link. */
export const isHandedOver = (made: NewInvitation): made is NewInvitation & { url: string } => made.url !== null;
