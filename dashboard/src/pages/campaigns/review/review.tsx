import { Loader, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import type { CampaignRecord, CampaignReview } from '../../../../../contract/dashboard/campaigns.ts';
import { useAct } from '../../../api/queries.ts';
import { money, number } from '../../../language/format.ts';
import { useTexts } from '../../../language/texts.tsx';
import { Until } from '../../../parts/moment.tsx';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import { useOrganization } from '../../../session/session.ts';
import { AUDIENCE } from '../search.ts';
import { EmptyPlaces } from '../settings/empty-places.tsx';
import { Opening } from '../settings/opening.tsx';
import { LeftOut, People } from './people.tsx';
import { texts } from './texts.ts';
import classes from './review.module.css';

/**
 * Shows the expected effect of a start or resume on the waiting recipients, with numbers, reasons, times, messages and
 * cost.
 */
export function Review({ item, onLeave }: { item: CampaignRecord; onLeave: () => void }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const { mutate: preview, data: previewed } = useAct('previewCampaign', { refresh: [] });
  const { mutate: review, data, error, isPending } = useAct('reviewCampaign', { refresh: [] });
  const settings = useRef(item.settings);
  useEffect(() => {
    const params = { org_id, campaign_id: item.id };
    preview({ params, body: { settings: settings.current, end_user: { locale: say.language } } });
    review({ params });
  }, [preview, review, org_id, item.id, say.language]);
  return (
    <>
      <EmptyPlaces names={previewed?.without.empty ?? []} />
      <section className={classes.review} aria-label={say('review')} aria-busy={isPending || undefined} data-review>
        <h3>{say('review')}</h3>
        {error ? (
          <ProblemAlert problem={error} />
        ) : !data ? (
          <Loader size="sm" role="status" aria-label={say('review_running')} />
        ) : data.waiting === 0 && data.left_out.length === 0 ? (
          <Text size="sm" c="dimmed">
            {say((item.total ?? 0) > 0 ? 'nobody_waits' : 'nobody_yet')}{' '}
            <Link to="." search={{ tab: 'people' }} hash={AUDIENCE} onClick={onLeave} className={classes.link}>
              {say('add_some')}
            </Link>
          </Text>
        ) : (
          <Found item={item} review={data} onLeave={onLeave} />
        )}
      </section>
    </>
  );
}

type FoundProps = { item: CampaignRecord; review: CampaignReview; onLeave: () => void };

/** Shows the result of a review. */
export function Found({ item, review, onLeave }: FoundProps): ReactNode {
  const say = useTexts(texts);
  const many = (value: number): string => number(say.language, value);
  const { goes, empty, refused, samples } = review;
  return (
    <>
      {review.has_more && (
        <Text size="sm" c="dimmed">
          {say('has_more', { examined: many(review.examined) })}
        </Text>
      )}
      {review.examined < review.waiting && (
        <Text size="sm" c="dimmed">
          {say('examined', { examined: many(review.examined), waiting: many(review.waiting) })}
        </Text>
      )}
      <p className={classes.goes} data-goes>
        {say('goes', { count: goes.count, number: many(goes.count) })}
        {goes.later > 0 && <small>{say('later', { count: goes.later, number: many(goes.later) })}</small>}
        {goes.first_at && goes.last_at && (
          <small>
            {goes.first_at === goes.last_at
              ? say.rich('when_once', { first: <Until at={goes.first_at} /> })
              : say.rich('when', { first: <Until at={goes.first_at} />, last: <Until at={goes.last_at} /> })}
          </small>
        )}
      </p>
      <LeftOut groups={review.left_out} onLeave={onLeave} />
      <InvalidRows review={review} />
      {empty.count > 0 && (
        <People
          title={say('empty', { count: empty.count, number: many(empty.count) })}
          total={empty.count}
          people={empty.recipients}
          note={<code className="ltr">{empty.names.map((name) => `{{${name}}}`).join(' ')}</code>}
        />
      )}
      {review.needs_template && goes.count > 0 && (
        <Text size="sm" c="orange.9" role="status">
          {say('needs_template')}{' '}
          <Link to="." search={{ tab: 'settings' }} onClick={onLeave} className={classes.link}>
            {say('choose_template')}
          </Link>
        </Text>
      )}
      {refused.count > 0 && (
        <People
          title={say('refused', { count: refused.count, number: many(refused.count) })}
          total={refused.count}
          people={refused.recipients}
          note={<bdi>{refused.reasons.join(' ')}</bdi>}
        />
      )}
      {samples.length > 0 && <Samples item={item} samples={samples} />}
      {goes.count > 0 && <Price review={review} />}
    </>
  );
}

/** Shows the rows of a file that cannot be added, each with its faults. */
function InvalidRows({ review: { left_out: leftOut, faults } }: { review: CampaignReview }): ReactNode {
  const say = useTexts(texts);
  const count = leftOut.reduce((sum, one) => (one.status === 'invalid' ? sum + one.count : sum), 0);
  if (count === 0) return null;
  return (
    <details className={classes.group}>
      <summary>{say('faulty', { count, number: number(say.language, count) })}</summary>
      <ul>
        {faults.map(({ row, ref, errors }) => (
          <li key={row}>
            {say('fault_row', { row: number(say.language, row) })}
            {ref !== null && <bdi> {ref}</bdi>}: <bdi>{errors.map(({ detail }) => detail).join(' ')}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Samples({ item, samples }: { item: CampaignRecord; samples: CampaignReview['samples'] }): ReactNode {
  const say = useTexts(texts);
  return (
    <details className={classes.group}>
      <summary>{say('samples', { count: samples.length })}</summary>
      {samples.map(({ recipient, opening }) => (
        <div key={recipient.id} className={classes.sample}>
          <Text size="xs" c="dimmed" mb={4} dir="auto">
            {recipient.name ?? recipient.ref ?? say('no_name')}
          </Text>
          <Opening opening={opening} item={item} />
        </div>
      ))}
    </details>
  );
}

/** If the agent uses a model, the cost depends on the number of people who reply. */
function Price({ review: { cost } }: { review: CampaignReview }): ReactNode {
  const say = useTexts(texts);
  const sum = (costs: CampaignReview['cost']['per_turn']): string =>
    costs.map(({ amount, currency }) => money(say.language, Number(amount), currency)).join(' + ');
  return (
    <Text size="sm" c="dimmed">
      {!cost.uses_model
        ? say('cost_none')
        : cost.per_turn.length > 0
          ? say('cost', { each: sum(cost.per_turn), all: sum(cost.one_turn_each) })
          : say(cost.turns > 0 ? 'cost_unpriced' : 'cost_unknown')}
    </Text>
  );
}
