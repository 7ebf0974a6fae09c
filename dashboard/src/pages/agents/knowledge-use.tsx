import { Progress, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { useOrganization } from '../../session/session.ts';
import { texts } from './texts.ts';
import classes from './agents.module.css';

const MB = 1024 * 1024;
/** At this part of the limit, the page shows a warning. */
const NEARLY_FULL = 0.9;

/** Shows the used document space of this agent, or of all agents if their limit is closer. */
export function KnowledgeUse({ agentId }: { agentId: string }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const use = useRead('readKnowledgeUse', { params: { org_id, agent_id: agentId } }, {}).data;
  // If the usage cannot be read, the list of documents shows the error.
  if (!use) return null;
  const share = (one: typeof use.agent): number => one.bytes / one.max_bytes;
  const isOfAll = share(use.organization) > share(use.agent);
  const nearer = isOfAll ? use.organization : use.agent;
  const label = say(isOfAll ? 'documents_used_all' : 'documents_used', {
    used: number(say.language, Math.ceil(nearer.bytes / (MB / 10)) / 10),
    most: number(say.language, nearer.max_bytes / MB),
  });
  return (
    <div className={classes.use}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Progress
        value={Math.min(100, share(nearer) * 100)}
        size="sm"
        color={share(nearer) >= NEARLY_FULL ? 'red' : undefined}
        aria-label={label}
      />
      {share(nearer) >= 1 && <Text size="sm">{say('documents_full')}</Text>}
    </div>
  );
}
