import type { FieldKind } from '@operon/contracts/crm/fields'
import type { Generated } from 'kysely'

export type FieldsDb = {
  contact_fields: { id: string; user_id: string; name: string; kind: FieldKind; options: string[]; created_at: Generated<Date> }
}
