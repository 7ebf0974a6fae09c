import { createSegment, deleteSegment, listSegments, type SegmentsDeps } from '../../features/segments/segments.ts';
import type { Route } from '../route/route.ts';
import type { RouteDeps } from './route-deps.ts';

/** Routes for saved filters of end users. */
export const segmentRoutes = ({ route, deps }: RouteDeps<SegmentsDeps>): Route[] => [
  route('listSegments', async ({ orgId }) => ({ data: await listSegments(deps, orgId) })),
  route('createSegment', ({ orgId, body, actor }) => createSegment(deps, orgId, body, actor)),
  route('deleteSegment', ({ orgId, params, actor }) => deleteSegment(deps, orgId, params.segment_id, actor)),
];
