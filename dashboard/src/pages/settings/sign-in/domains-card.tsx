import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { SignInDomain } from '../../../../../contract/dashboard/sign-in-provider.ts';
import { useAct } from '../../../api/queries.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx';
import { CopyFact, Facts } from '../../../parts/fact.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { useSession } from '../../../session/session.ts';
import { texts } from './texts.ts';

type Props = { orgId: string; domains: SignInDomain[] };

export function DomainsCard({ orgId, domains }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Card title={say('domains')} description={say('domains_hint')}>
      <Stack gap="lg">
        {domains.length === 0 && <Text size="sm">{say('no_domain')}</Text>}
        {domains.map((domain) => (
          <Domain key={domain.domain} orgId={orgId} domain={domain} />
        ))}
        <AddDomain orgId={orgId} />
      </Stack>
    </Card>
  );
}

function AddDomain({ orgId }: { orgId: string }): ReactNode {
  const say = useTexts(texts);
  const add = useAct('addSignInDomain', { refresh: ['readSignInSettings'] });
  const form = useCheckedForm({ domain: '' }, (common) => ({
    domain: (value) => (value.trim() === '' ? common('required') : null),
  }));
  const submit = form.submit(({ domain }) =>
    add.mutate(
      { params: { org_id: orgId }, body: { domain: domain.trim() } },
      { onSuccess: form.reset, onError: form.place },
    ),
  );
  const problem = form.unplaced(add.error);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="xs">
        <Group align="flex-end" gap="xs">
          <TextInput
            label={say('domain')}
            placeholder="example.com"
            autoComplete="off"
            classNames={{ input: 'ltr' }}
            {...form.getInputProps('domain')}
          />
          <Button type="submit" variant="default" loading={add.isPending}>
            {say('add_domain')}
          </Button>
        </Group>
        {problem && <ProblemAlert problem={problem} />}
      </Stack>
    </form>
  );
}

function Domain({ orgId, domain: { domain, proven_by, record } }: { orgId: string; domain: SignInDomain }): ReactNode {
  const say = useTexts(texts);
  const { operator } = useSession();
  const refresh = { refresh: ['readSignInSettings'] as const };
  const verify = useAct('verifySignInDomain', refresh);
  const confirm = useAct('confirmSignInDomain', refresh);
  const remove = useAct('removeSignInDomain', refresh);
  const [leaving, setLeaving] = useState(false);
  const input = { params: { org_id: orgId, domain } };
  const done = { onSuccess: () => notifyDone(say('verified', { domain })) };
  const problem = verify.error ?? confirm.error;
  return (
    <section aria-label={domain}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Text fw={600} className="ltr">
              {domain}
            </Text>
            <Badge color={proven_by ? 'blue' : 'gray'}>{say(proven_by ? `proven_${proven_by}` : 'unproven')}</Badge>
          </Group>
          <Group gap={4}>
            {operator && proven_by === null && (
              <Button
                size="compact-sm"
                variant="subtle"
                loading={confirm.isPending}
                onClick={() => {
                  verify.reset();
                  confirm.mutate(input, done);
                }}
              >
                {say('confirm')}
              </Button>
            )}
            <Button
              size="compact-sm"
              variant={proven_by ? 'subtle' : 'filled'}
              loading={verify.isPending}
              onClick={() => {
                confirm.reset();
                verify.mutate(input, done);
              }}
            >
              {say(proven_by ? 'verify_again' : 'verify')}
            </Button>
            <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setLeaving(true)}>
              {say('give_up')}
            </Button>
          </Group>
        </Group>
        <Facts>
          <CopyFact label={say('record_name')} value={record.name} copyLabel={say('copy_name', { domain })} />
          <CopyFact label={say('record_value')} value={record.value} copyLabel={say('copy_value', { domain })} />
        </Facts>
        {problem && <ProblemAlert problem={problem} />}
      </Stack>
      <ConfirmDialog
        opened={leaving}
        onClose={() => setLeaving(false)}
        title={say('give_up_title', { domain })}
        act={say('give_up')}
        busy={remove.isPending}
        problem={remove.error}
        onAct={() => remove.mutate(input, { onSuccess: () => notifyDone(say('given_up', { domain })) })}
      >
        <Text size="sm">{say('give_up_words')}</Text>
      </ConfirmDialog>
    </section>
  );
}
