import { Button, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { MAX_NAME_CHARACTERS } from '../../../../../contract/limits.ts';
import { useAct } from '../../../api/queries.ts';
import { common } from '../../../language/common.ts';
import { regionName } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Card } from '../../../parts/card.tsx';
import { CopyFact, Fact, Facts } from '../../../parts/fact.tsx';
import { notifyDone } from '../../../parts/notify.tsx';
import { PageHeader } from '../../../parts/page-header.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useCheckedForm } from '../../../parts/use-checked-form.ts';
import { useMay, useOrganization, useSession } from '../../../session/session.ts';
import { texts } from '../texts.ts';
import { HandOffCard } from './hand-off-card.tsx';
import { MemberHelpCard } from './member-help-card.tsx';
import { SecondFactorCard } from './second-factor-card.tsx';
import { RetentionCard } from './retention-card.tsx';
import { ZoneCard } from './zone-card.tsx';

export function OrganizationPage(): ReactNode {
  const say = useTexts(texts);
  const organization = useOrganization();
  const { region, base_url } = useSession();
  return (
    <>
      <PageHeader
        title={say('organization')}
        crumbs={[{ label: say('settings'), to: '/settings' }]}
        hint={say.rich('organization_hint', { organization: <bdi>{organization.name}</bdi> })}
      />
      <NameCard key={organization.id} />
      <ZoneCard key={`zone ${organization.id}`} />
      <SecondFactorCard key={`factor ${organization.id}`} />
      <HandOffCard />
      <MemberHelpCard />
      <RetentionCard />
      <Card title={say('region')} description={say('region_hint')}>
        <Facts>
          <Fact label={say('region')}>
            {regionName(say.language, region)} <code>({region})</code>
          </Fact>
          <CopyFact label={say('base_url')} value={base_url} copyLabel={say('copy_base_url')} />
          <CopyFact label={say('organization_id')} value={organization.id} copyLabel={say('copy_organization_id')} />
        </Facts>
      </Card>
    </>
  );
}

function NameCard(): ReactNode {
  const say = useTexts(texts);
  const sayCommon = useTexts(common);
  const organization = useOrganization();
  const may = useMay('admin');
  const rename = useAct('updateOrganization', { refresh: ['readSession'] });
  const form = useCheckedForm({ name: organization.name }, (common) => ({
    name: (value) => (value.trim() === '' ? common('required') : null),
  }));
  const submit = form.submit((values) =>
    rename.mutate(
      { params: { org_id: organization.id }, body: { name: values.name.trim() } },
      {
        onSuccess: () => {
          form.settled(values);
          notifyDone(say('name_saved'));
        },
        onError: form.place,
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Card
        title={say('name')}
        description={say('name_hint')}
        footer={
          may ? (
            <Button type="submit" disabled={!form.edited} loading={rename.isPending}>
              {sayCommon('save')}
            </Button>
          ) : (
            <Text size="sm" c="dimmed" me="auto">
              {say('admins_only', { role: sayCommon(`role_${organization.role}`) })}
            </Text>
          )
        }
      >
        <Stack>
          <TextInput
            aria-label={say('name')}
            maw={420}
            maxLength={MAX_NAME_CHARACTERS}
            readOnly={!may}
            {...form.getInputProps('name')}
          />
          {form.unplaced(rename.error) && <ProblemAlert problem={form.unplaced(rename.error)} />}
        </Stack>
      </Card>
    </form>
  );
}
