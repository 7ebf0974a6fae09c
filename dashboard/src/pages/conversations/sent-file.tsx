import { IconFileDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { MessageContent } from '../../../../contract/messages.ts';
import { useTexts } from '../../language/texts.tsx';
import { fileTexts } from './file-texts.ts';
import { texts } from './texts.ts';
import classes from './files.module.css';

type Media = Extract<MessageContent, { url: string }>;

/**
 * Matches the path of a stored file. The file is requested from this server, regardless of the host name in the URL.
 */
const OURS = /^\/attachments\/org_[0-9a-z]{26}\/attachment_[0-9a-z]{26}\/[\w-]{32}\/[\w.-]+$/;

/**
 * Shows a file in a conversation. Only stored files are displayed. The page only names files on other servers, and
 * loads nothing from them.
 */
export function SentFile({ content }: { content: Media }): ReactNode {
  const say = useTexts(fileTexts);
  const sayContent = useTexts(texts);
  const path = URL.canParse(content.url) ? new URL(content.url).pathname : '';
  const kind = sayContent(`content_${content.type}`);
  if (!OURS.test(path))
    return (
      <>
        <p className={classes.kind}>{kind}</p>
        <p>
          <code>{content.url}</code>
        </p>
      </>
    );
  const name = content.type === 'file' && content.name ? content.name : path.slice(path.lastIndexOf('/') + 1);
  const label = say('open', { name });
  if (content.type === 'image')
    return (
      <a href={path} target="_blank" rel="noreferrer" className={classes.picture} aria-label={label}>
        <img src={path} alt={say('picture')} loading="lazy" />
      </a>
    );
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- what a person said has no captions
  if (content.type === 'audio') return <audio controls preload="metadata" src={path} aria-label={kind} />;
  if (content.type === 'video')
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- as above
    return <video controls preload="metadata" src={path} aria-label={kind} className={classes.video} />;
  return (
    <a href={path} target="_blank" rel="noreferrer" className={classes.file} aria-label={label}>
      <IconFileDownload size={18} aria-hidden="true" />
      <bdi>{name}</bdi>
    </a>
  );
}
