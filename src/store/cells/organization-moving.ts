import { Refusal } from '../../../contract/problems.ts';

/** The refusal of calls of an organization while its rows are moved to another cell (move-organization.ts). */
export class OrganizationMoving extends Refusal {
  constructor() {
    super(
      'unavailable',
      'The data of this organization is being moved inside the database. Nothing was done. Retry after some seconds.',
    );
  }
}
