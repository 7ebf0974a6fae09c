import { Link } from '@tanstack/react-router';
import type { ReactNode, Ref } from 'react';
import type { ConversationRecord } from '../../../../contract/dashboard/conversations.ts';
import { CODE_PROVIDER } from '../../../../contract/turns.ts';
import { languageName, money, number } from '../../language/format.ts';
import { useTexts } from '../../language/texts.tsx';
import { CopyFact, Fact } from '../../parts/fact.tsx';
import { Moment } from '../../parts/moment.tsx';
import { AgentLink } from '../../parts/agents/agent-select.tsx';
import pageClasses from '../../parts/page.module.css';
import { useAgentNames } from '../../parts/use-record-names.ts';
import { RunResultCell } from '../../parts/runs/run-result.tsx';
import { RunStatusBadge, useReasonText } from '../../parts/runs/run-status.tsx';
import { AssigneeField } from './assignee-field.tsx';
import { TagsField } from './tags-field.tsx';
import { factsTexts } from './facts-texts.ts';
import { inboxTexts } from './inbox-texts.ts';
import { PersonPanel } from './person-panel.tsx';
import { KindName } from '../../parts/channels/kind-name.tsx';
import { texts } from './texts.ts';
import classes from './conversations.module.css';

type Props = {
  item: ConversationRecord;
  /** True on a screen that is too small for three panes, after the facts were opened. */ shown: boolean;
  assignee: Ref<HTMLInputElement>;
};

export function ConversationFacts({ item, shown, assignee }: Props): ReactNode {
  const say = useTexts(factsTexts);
  const sayCommon = useTexts(texts);
  const agentName = useAgentNames([item.agent_id]);
  const sayInbox = useTexts(inboxTexts);
  return (
    <aside className={classes.facts} data-shown={shown || undefined} aria-label={say('facts')}>
      <Fact label={sayInbox('assigned_to')}>
        <AssigneeField item={item} field={assignee} />
      </Fact>
      <TagsField item={item} />
      <PersonPanel item={item} />
      {item.end_user.external_id && (
        <Fact label={say('external_id')}>
          <code>{item.end_user.external_id}</code>
        </Fact>
      )}
      <Fact label={sayCommon('agent')}>
        <AgentLink id={item.agent_id} nameOf={agentName} />
      </Fact>
      <Fact label={sayCommon('channel')}>
        <Link to="/channels/$channel_id" params={{ channel_id: item.channel_id }} className={pageClasses.link}>
          <KindName kind={item.channel_kind} />
        </Link>
      </Fact>
      {item.key && (
        <Fact label={say('key')}>
          <code>{item.key}</code>
        </Fact>
      )}
      {item.locale && <Fact label={say('language')}>{languageName(say.language, item.locale)}</Fact>}
      <Fact label={say('begun')}>
        <Moment at={item.created_at} />
      </Fact>
      <Fact label={say('runs')}>{item.runs.length === 0 ? say('no_runs') : <Runs of={item} />}</Fact>
      {item.models.length > 0 && (
        <Fact label={say('models')}>
          <Models of={item} />
        </Fact>
      )}
      <CopyFact label={say('id')} value={item.id} copyLabel={say('copy_id')} />
    </aside>
  );
}

/** Shows the causes of the agent's turns, which are calls and messages, and the result of each run. */
function Runs({ of: { runs } }: { of: ConversationRecord }): ReactNode {
  const say = useTexts(factsTexts);
  const reason = useReasonText();
  return (
    <ol className={classes.runs}>
      {runs.map((run) => (
        <li key={run.id}>
          <RunStatusBadge status={run.status} />
          <span className={classes.runWords}>
            {run.trigger_id ? (
              <Link to="/triggers/$trigger_id" params={{ trigger_id: run.trigger_id }} className={pageClasses.link}>
                {say('by_trigger')}
              </Link>
            ) : (
              say('by_message')
            )}{' '}
            <Moment at={run.created_at} />
            {run.result.status !== 'none' && <RunResultCell result={run.result} />}
            {run.reason && <div dir="auto">{reason(run.reason)}</div>}
            {run.error && (
              <div>
                <code>{run.error.code}</code> <bdi>{run.error.detail}</bdi>
              </div>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Shows the models that answered, their usage, and the reasons for each fallback. */
function Models({ of: { models } }: { of: ConversationRecord }): ReactNode {
  const say = useTexts(factsTexts);
  const named = (provider: string, model: string): string => {
    if (provider === 'embedded' || provider === 'hand_off') return say(`stand_in_${provider}`);
    return `${provider}/${model}`;
  };
  return (
    <ol className={classes.runs}>
      {models.map((use) => (
        <li key={JSON.stringify([use.provider, use.model, use.cost?.currency, use.instead_of])}>
          <span className={classes.runWords}>
            <bdi>{named(use.provider, use.model)}</bdi>
            {use.calls > 0 && (
              <div>
                {use.provider === CODE_PROVIDER
                  ? say('calls', {
                      many: number(say.language, use.calls),
                      seconds: number(say.language, use.seconds),
                    })
                  : say('tokens', {
                      input: number(say.language, use.input_tokens),
                      output: number(say.language, use.output_tokens),
                    })}
                {use.cost && <bdi>{` · ${money(say.language, Number(use.cost.amount), use.cost.currency)}`}</bdi>}
              </div>
            )}
            {use.instead_of.map(({ provider, model, code }) => (
              <div key={`${provider}/${model}`}>
                {say.rich('instead_of', { model: <bdi>{named(provider, model)}</bdi> })}: <code>{code}</code>
              </div>
            ))}
          </span>
        </li>
      ))}
    </ol>
  );
}
