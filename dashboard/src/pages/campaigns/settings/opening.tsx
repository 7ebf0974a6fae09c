import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CampaignPreview, CampaignRecord } from '../../../../../contract/dashboard/campaigns.ts';
import { useTexts } from '../../../language/texts.tsx';
import { AgentLink } from '../../../parts/agents/agent-select.tsx';
import { useValueLabel } from '../../../parts/template-picker.tsx';
import { useAgentNames } from '../../../parts/use-record-names.ts';
import { texts } from './texts.ts';
import classes from './settings.module.css';

type Props = { opening: CampaignPreview['opening']; item: CampaignRecord };

/** Shows a first message as the recipient sees it, as text, or as a template with its values. */
export function Opening({ opening, item }: Props): ReactNode {
  const say = useTexts(texts);
  const labelOf = useValueLabel();
  const agentName = useAgentNames([item.agent_id]);
  if (opening === null)
    return (
      <Text size="sm">{say.rich('by_agent', { agent: <AgentLink id={item.agent_id} nameOf={agentName} /> })}</Text>
    );
  return (
    <>
      {opening.type === 'template' && (
        <dl className={classes.facts}>
          <dt>{say('template_name')}</dt>
          <dd>
            <code>{opening.name}</code> {opening.language && <code>{opening.language}</code>}
          </dd>
          {Object.entries(opening.variables ?? {}).map(([name, value]) => (
            <div key={name}>
              <dt>{labelOf(name)}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {'text' in opening && opening.text && (
        <p className={classes.bubble} dir="auto">
          {opening.text}
        </p>
      )}
    </>
  );
}
