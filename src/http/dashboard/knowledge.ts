import {
  createDocument,
  deleteDocument,
  listDocuments,
  readDocument,
  readKnowledgeUse,
} from '../../features/agents/documents.ts';
import { readEmbeddings, retryEmbeddings } from '../../features/agents/embeddings.ts';
import { uploadDocument } from '../../features/agents/upload-document.ts';
import { addWording, listWordings, removeWording, suggestPassages } from '../../features/agents/wordings.ts';
import type { AgentsDeps } from '../../features/agents/deps.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for the documents of agents, the wordings of their passages, and their embeddings. */
export const knowledgeRoutes = ({ route, deps }: RouteDeps<AgentsDeps & { wake: { embeddings(): void } }>): Route[] => [
  route('listDocuments', ({ orgId, params: { agent_id: agent }, query: { text }, paged }) =>
    paged({ agent, text }, (page) => listDocuments(deps, orgId, agent, { text }, page)),
  ),
  route('readKnowledgeUse', ({ orgId, params }) => readKnowledgeUse(deps, orgId, params.agent_id)),
  route('createDocument', ({ orgId, params, body, actor }) =>
    createDocument(deps, orgId, params.agent_id, body, actor),
  ),
  route('uploadDocument', ({ orgId, params, query: { name }, body, actor, careful }) =>
    uploadDocument(careful(deps), orgId, params.agent_id, { name, bytes: body as Buffer }, actor),
  ),
  route('readDocument', ({ orgId, params }) => readDocument(deps, orgId, params.agent_id, params.document_id)),
  route('deleteDocument', ({ orgId, params, actor }) =>
    deleteDocument(deps, orgId, params.agent_id, params.document_id, actor),
  ),

  route('readEmbeddings', ({ orgId, params }) => readEmbeddings(deps, orgId, params.agent_id)),
  route('retryEmbeddings', async ({ orgId, params, actor }) => {
    const progress = await retryEmbeddings(deps, orgId, params.agent_id, actor);
    deps.wake.embeddings();
    return progress;
  }),
  route('listWordings', ({ orgId, params: { agent_id: agent }, paged }) =>
    paged({ agent }, (page) => listWordings(deps, orgId, agent, page)),
  ),
  route('suggestPassages', ({ orgId, params, query }) => suggestPassages(deps, orgId, params.agent_id, query)),
  route('addWording', ({ orgId, params, body, actor }) => addWording(deps, orgId, params.agent_id, body, actor)),
  route('removeWording', ({ orgId, params, actor }) =>
    removeWording(deps, orgId, params.agent_id, params.wording_id, actor),
  ),
];
