import { typedOf } from '../../../ui/ownFields.ts'
import type { SegmentTree } from '../queries.ts'

export type Part = SegmentTree['conditions'][number]
export type Condition = Extract<Part, { field: string }>
export type Group = Exclude<Part, { field: string }>
export type Field = Condition['field']

export const fieldNames: Record<Field, string> = {
  tag: 'Tag',
  temperature: 'Heat',
  status: 'Status',
  source: 'Source',
  created: 'Added',
  activity: 'Last activity',
  campaign: 'Campaign',
  own: 'A field of your own',
}
export const verbs: Record<Field, Record<string, string>> = {
  tag: { has: 'is', has_not: 'is not' },
  temperature: { is: 'is', is_not: 'is not' },
  status: { is: 'is', is_not: 'is not' },
  source: { is: 'is', is_not: 'is not' },
  created: { within_days: 'in the last … days', before_days: 'more than … days ago' },
  activity: { within_days: 'in the last … days', before_days: 'more than … days ago' },
  own: { is: 'is', is_not: 'is not' },
  campaign: {
    received: 'was received',
    opened: 'was opened',
    clicked: 'was clicked',
    not_opened: 'was not opened',
    not_clicked: 'was not clicked',
  },
}
export const temperatures = { hot: 'Hot', warm: 'Warm', cold: 'Cold' } as const
export const statuses = { new: 'New', contacted: 'Contacted', qualified: 'Qualified', won: 'Won', lost: 'Lost' } as const

export function newCondition(field: Field): Condition {
  switch (field) {
    case 'tag':
      return { field, is: 'has', value: '' }
    case 'temperature':
      return { field, is: 'is', value: 'hot' }
    case 'status':
      return { field, is: 'is', value: 'new' }
    case 'source':
      return { field, is: 'is', value: '' }
    case 'created':
    case 'activity':
      return { field, is: 'within_days', value: 30 }
    case 'campaign':
      return { field, is: 'opened', value: '' }
    case 'own':
      return { field, is: 'is', id: '', value: '' }
  }
}

export const isGroup = (part: Part): part is Group => !('field' in part)
const isWhole = (part: Part): boolean =>
  isGroup(part) ? part.conditions.length > 0 && part.conditions.every(isWhole) : part.value !== '' && !('id' in part && part.id === '')
/** Every condition says what it means. */
export const isReady = (tree: SegmentTree): boolean => tree.conditions.every(isWhole)

/** The tree in words. Campaigns and fields go by their names where they are known; a field that is not among those given was deleted. */
export function describe(
  { match, conditions }: { match: 'all' | 'any'; conditions: readonly Part[] },
  campaigns?: ReadonlyMap<string, string>,
  fields?: ReadonlyMap<string, string>,
): string {
  if (!conditions.length) return 'All contacts'
  return conditions
    .map((part) => (isGroup(part) ? `(${describe(part, campaigns, fields)})` : words(part, campaigns, fields)))
    .join(match === 'all' ? ' and ' : ' or ')
}
function words(of: Condition, campaigns: ReadonlyMap<string, string> | undefined, fields: ReadonlyMap<string, string> | undefined): string {
  if (of.field === 'created' || of.field === 'activity') {
    const what = of.field === 'created' ? 'added' : 'active'
    return of.is === 'within_days' ? `${what} in the last ${of.value} days` : `${what} more than ${of.value} days ago`
  }
  if (of.field === 'campaign') return `${campaigns?.get(of.value) ?? 'a campaign'} ${verbs.campaign[of.is]}`
  if (of.field === 'own') {
    if (fields && !fields.has(of.id)) return 'a field that was deleted (matches nobody)'
    return `${fields?.get(of.id) ?? 'a field of your own'} ${verbs.own[of.is]} ${typedOf(of.value) || '…'}`
  }
  const value = of.field === 'temperature' ? temperatures[of.value] : of.field === 'status' ? statuses[of.value] : of.value
  return `${fieldNames[of.field].toLowerCase()} ${verbs[of.field][of.is]} ${value || '…'}`
}
