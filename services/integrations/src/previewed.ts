import type { Previewed } from '@operon/kit/previews'

/** The tables that previews of this service's actions speak of, a line each. */
export const previewed: Previewed = {
  connections: {
    one: 'connection',
    id: 'connection',
    shows: { app: 'App', account: 'Account', state: 'State', on_timelines: 'Shown on timelines' },
  },
  ad_rules: { one: 'ad rule', id: 'ad_rule', shows: { campaign: 'Campaign', most_cents: 'Pauses at', state: 'State' } },
  webhook_endpoints: {
    ...{ one: 'webhook endpoint', id: 'webhook_endpoint' },
    shows: { name: 'Name', url: 'Address', events: 'Events', state: 'State' },
  },
  app_watches: { one: 'watch', many: 'watches', id: 'app_watch', shows: { trigger: 'Tells of' } },
  custom_apis: { one: 'API of your own', many: 'APIs of your own', shows: { base: 'Address' } },
}
