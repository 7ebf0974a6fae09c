import { Anchor, Badge, Group, Stack } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { KEY_PLACE } from '../../../../contract/code-samples.ts';
import type { TriggerRecord } from '../../../../contract/dashboard/triggers.ts';
import { useRead } from '../../api/queries.ts';
import { useTexts } from '../../language/texts.tsx';
import { Card } from '../../parts/card.tsx';
import { CodeTabs } from '../../parts/code-tabs.tsx';
import { CopyFact, Fact, Facts } from '../../parts/fact.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { RecordPage } from '../../parts/record-page.tsx';
import { useOrganization, useSession } from '../../session/session.ts';
import { texts as agentTexts } from '../../parts/agents/agent-select-texts.ts';
import { AgentLink } from '../../parts/agents/agent-select.tsx';
import { useAgentNames } from '../../parts/use-record-names.ts';
import { codeOfTrigger } from '../../parts/trigger-code.ts';
import { TriggerRuns } from './trigger-runs.tsx';
import { TriggerSettings } from './trigger-settings.tsx';
import { TriggerTest } from './trigger-test.tsx';
import { VariablesCard } from './variables-card.tsx';
import { texts } from './texts.ts';
import classes from './triggers.module.css';

const route = getRouteApi('/inside/triggers/$trigger_id');

export function TriggerPage(): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { trigger_id } = route.useParams();
  const trigger = useRead('readTrigger', { params: { org_id, trigger_id } }, { every: 10_000 });
  const crumbs = [{ label: say('triggers'), to: '/triggers' as const }];
  return (
    <RecordPage read={trigger} title={say('triggers')} crumbs={crumbs}>
      {(item) => (
        <div>
          <PageHeader
            title={item.name}
            crumbs={crumbs}
            badge={!item.enabled && <Badge color="gray">{say('disabled')}</Badge>}
          />
          <AddressCard item={item} />
          <div className={classes.section}>
            <VariablesCard item={item} />
          </div>
          <TriggerTest item={item} />
          <div className={classes.section}>
            <TriggerRuns triggerId={item.id} />
          </div>
          <div className={classes.section}>
            <TriggerSettings item={item} />
          </div>
        </div>
      )}
    </RecordPage>
  );
}

function AddressCard({ item }: { item: TriggerRecord }): ReactNode {
  const say = useTexts(texts);
  const sayAgent = useTexts(agentTexts);
  const { base_url } = useSession();
  const agentName = useAgentNames([item.agent_id]);
  return (
    <Card title={say('address')} description={say('address_hint')}>
      <Stack gap="lg">
        <CopyFact label={`POST ${say('url')}`} value={base_url + item.path} copyLabel={say('copy_url')} />
        <Facts>
          <CopyFact label={say('trigger_id')} value={item.id} copyLabel={say('copy_trigger_id')} />
          <CopyFact label={say('agent_id')} value={item.agent_id} copyLabel={say('copy_agent_id')} />
          <Fact label={sayAgent('agent')}>
            <AgentLink id={item.agent_id} nameOf={agentName} />
          </Fact>
        </Facts>
        <div>
          <Group justify="space-between" mb={8} gap="xs" fz="sm">
            <span>{say.rich('code_hint', { place: <code>{KEY_PLACE}</code> })}</span>
            <Anchor
              inherit
              renderRoot={(props) => (
                <Link to="/settings/integrations/api-keys" search={{ permission: 'triggers' }} {...props} />
              )}
            >
              {say('to_keys')}
            </Anchor>
          </Group>
          <CodeTabs label={say('code')} tabs={codeOfTrigger(item, base_url)} />
        </div>
      </Stack>
    </Card>
  );
}
