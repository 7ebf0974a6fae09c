import { Alert, Text } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useWords } from '../../language/words.tsx';
import { words } from './organization-words.ts';

const KNOWN = [
  'sign_in_expired',
  'sign_in_refused',
  'sign_in_address_refused',
  'membership_ended',
  'organization_full',
] as const;

/** Why the way back from the provider ended here: a code in the address, said in words of ours alone. */
export function OrganizationProblem({ code }: { code: string | undefined }): ReactNode {
  const say = useWords(words);
  if (code === undefined) return null;
  const word = KNOWN.find((known) => known === code) ?? 'other';
  return (
    <Alert color="red" icon={<IconAlertCircle size={18} />} title={say(word)} role="alert">
      <Text size="sm">{say(`${word}_hint`)}</Text>
    </Alert>
  );
}
