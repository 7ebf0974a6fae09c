import type { MemberHelp } from '../../../../contract/dashboard/member-help.ts';
import { useRead } from '../../api/queries.ts';
import { useMay, useOrganization } from '../../session/session.ts';

const NONE: MemberHelp = { summary: false, draft: false, translation: false };

/** Reads which help a model gives the reader in this conversation. */
export function useHelp(conversation_id: string): MemberHelp {
  const org_id = useOrganization().id;
  const may = useMay('member');
  const read = useRead(
    'readConversationHelp',
    { params: { org_id, conversation_id } },
    { staleTime: 60_000, enabled: may },
  );
  return read.data ?? NONE;
}
