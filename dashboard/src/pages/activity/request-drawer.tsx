import { Drawer, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RequestRecord } from '../../../../contract/dashboard/activity.ts';
import type { ProblemCode } from '../../../../contract/problems.ts';
import { useRead } from '../../api/queries.ts';
import { number, utc } from '../../language/format.ts';
import { problemTitlesAr } from '../../language/problem-titles.ts';
import { useTexts } from '../../language/texts.tsx';
import { CodeBlock } from '../../parts/code-tabs.tsx';
import { CopyFact, Fact } from '../../parts/fact.tsx';
import { Moment } from '../../parts/moment.tsx';
import { pageOfId } from '../../parts/page-of-id.ts';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useOrganization, useSession } from '../../session/session.ts';
import pageClasses from '../../parts/page.module.css';
import { Prefix } from '../../parts/api-keys/key-parts.tsx';
import { curlOfRequest, pathOfRequest } from './request-curl.ts';
import { StatusBadge } from './status-badge.tsx';
import { useRequestKeys } from './requests.ts';
import { texts } from './request-texts.ts';
import classes from './activity.module.css';

type Props = {
  id: string | undefined;
  /** The request in the data that the list has already loaded. */
  listed: RequestRecord | undefined;
  onClose: () => void;
};

export function RequestDrawer({ id, listed, onClose }: Props): ReactNode {
  const say = useTexts(texts);
  return (
    <Drawer opened={id !== undefined} onClose={onClose} position="right" size={560} title={say('detail')}>
      {id !== undefined && (listed ? <Detail item={listed} /> : <Found id={id} />)}
    </Drawer>
  );
}

/** The request is read if a link opened it, or if the list does not contain it any more. */
function Found({ id }: { id: string }): ReactNode {
  const say = useTexts(texts);
  const org_id = useOrganization().id;
  const read = useRead('listRequests', { params: { org_id }, query: { id } });
  if (read.isPending) return <Skeleton h={240} />;
  if (!read.data) return <ProblemAlert problem={read.error} onRetry={() => void read.refetch()} />;
  const item = read.data.data[0];
  return item ? <Detail item={item} /> : <Text size="sm">{say('gone')}</Text>;
}

function Detail({ item }: { item: RequestRecord }): ReactNode {
  const say = useTexts(texts);
  const keys = useRequestKeys();
  const prefix = keys.prefixOf(item.key_id);
  return (
    <Stack gap="md">
      <Fact label={say('path')}>
        <code className={classes.id}>
          <b>{item.method}</b> {pathOfRequest(item)}
        </code>
      </Fact>
      <Fact label={say('status')}>
        <StatusBadge status={item.status} /> {item.code && <Problem code={item.code} />}
      </Fact>
      <CopyFact label={say('id')} value={item.id} copyLabel={say('copy_id')} />
      <Fact label={say('key')}>
        <Link
          to="/settings/integrations/api-keys/$key_id"
          params={{ key_id: item.key_id }}
          className={pageClasses.link}
        >
          <bdi>{keys.labelOf(item.key_id) ?? item.key_id}</bdi>
        </Link>{' '}
        {prefix && <Prefix prefix={prefix} />}
      </Fact>
      <Fact label={say('when')}>
        <Moment at={item.created_at} /> · <span className="ltr">{utc(item.created_at)}</span>
      </Fact>
      <Fact label={say('took')}>{say('ms', { count: number(say.language, item.ms) })}</Fact>
      {Object.keys(item.ids).length > 0 && (
        <Fact label={say('ids')}>
          <span className={classes.ids}>
            {Object.values(item.ids).map((id) => (
              <IdLink key={id} id={id} />
            ))}
          </span>
        </Fact>
      )}
      <Text size="xs" c="dimmed">
        {say('not_kept')}
      </Text>
      <Curl item={item} />
    </Stack>
  );
}

function Problem({ code }: { code: string }): ReactNode {
  const say = useTexts(texts);
  const title = say.language === 'ar' ? problemTitlesAr[code as ProblemCode] : undefined;
  return (
    <>
      <code>{code}</code> {title}
      <div>
        <a href={`/docs/problems/${code}`} target="_blank" rel="noreferrer" className={pageClasses.link}>
          {say('cure')}
        </a>
      </div>
    </>
  );
}

function IdLink({ id }: { id: string }): ReactNode {
  const page = pageOfId(id);
  return page === null ? (
    <code className={classes.id}>{id}</code>
  ) : (
    <Link to={page} className={`${pageClasses.link} ${classes.id}`}>
      {id}
    </Link>
  );
}

function Curl({ item }: { item: RequestRecord }): ReactNode {
  const say = useTexts(texts);
  const { base_url } = useSession();
  const { code, body, places } = curlOfRequest(item, base_url);
  return (
    <div>
      <Text size="sm" fw={570} mb={6}>
        {say('curl')}
      </Text>
      <CodeBlock label={say('curl')} code={code} />
      <Text size="xs" c="dimmed" mt={6}>
        {say('curl_hint')} {body && say.rich('curl_body', { place: <code>{body}</code> })}{' '}
        {places.length > 0 && say.rich('curl_place', { place: <code className="ltr">{places.join(', ')}</code> })}
      </Text>
    </div>
  );
}
