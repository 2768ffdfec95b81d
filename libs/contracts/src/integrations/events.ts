import { z } from 'zod'
import { event, job, personal, plain } from '../contract.ts'
import { appName, day } from '../words.ts'
import { integrationStatuses } from './tables.ts'
import { appTriggers } from './triggers.ts'

export const connectionChanged = event(
  'integrations.connection_changed',
  z.object({ version: z.int(), service_name: plain(z.string()), status: z.enum(integrationStatuses) }),
  {
    activity: ({ service_name, status }) => `${status === 'connected' ? 'Connected' : 'Disconnected'} ${appName(service_name)}`,
    trigger: { title: 'An app was connected or disconnected', description: 'With the app and whether it is connected now.' },
    live: 'connection',
  },
)
/** The app does not take what we hold any more: what used it stands still until its owner connects it again. */
export const connectionBroken = event(
  'integrations.connection_broken',
  z.object({
    version: z.int(),
    connection_id: z.uuid(),
    service_name: plain(z.string()),
    account: personal(z.string()),
    /** Rules of ads that wait until it is connected again. */
    rules: z.int().min(0).optional(),
    /** The watched things of the app, not looked at until then. */
    watches: z.int().min(0).optional(),
  }),
  {
    activity: ({ service_name }) => `${appName(service_name)} has to be connected again`,
    link: ({ service_name }) => whereOf(service_name),
    notice: ({ connection_id, version, service_name, account, rules = 0, watches = 0 }) => [
      {
        kind: 'connection',
        title: `${appName(service_name)} has to be connected again`,
        body: `It does not accept the connection to ${account} any more. ${waiting(rules, watches)} that uses it stops until you connect it again ${service_name === 'caldav' ? 'in your calendar' : 'in the App Library'}.`,
        link: whereOf(service_name),
        about: `${connection_id}:${version}`,
      },
    ],
    trigger: { title: 'A connected app has to be connected again', description: 'With the app.' },
    live: 'connection',
  },
)
/** Where it is connected again. */
const whereOf = (app: string) => (app === 'caldav' ? '/dashboard/calendar?tab=synced' : '/dashboard/app-library')
function waiting(rules: number, watches: number): string {
  const of = [
    rules && `${rules} automatic pause ${rules === 1 ? 'rule' : 'rules'}`,
    watches && `${watches} watched ${watches === 1 ? 'event' : 'events'}`,
  ].filter(Boolean)
  return of.length ? `${of.join(' and ')} ${rules + watches === 1 ? 'waits' : 'wait'}, and everything else` : 'Everything'
}

/** Something that a person watches for has happened in a connected app. */
export const appTold = event(
  'integrations.app_told',
  z.object({
    watch_id: z.uuid(),
    connection_id: z.uuid(),
    service_name: plain(z.string()),
    trigger: plain(z.string()),
    /** Of the thing over there. */
    item_id: plain(z.string()),
    title: personal(z.string()),
    detail: personal(z.string().nullable()),
    url: personal(z.string().nullable()),
    at: personal(z.string().nullable()),
  }),
  {
    trigger: {
      title: 'Something happened in a connected app',
      description: 'With the app, what it was and the id it has there. Choose what is watched in the App Library.',
      choices: appTriggers.map(({ app, name, title, description }) => ({
        ...{ name: `${app}.${name}`, title, description },
        where: { service_name: app, trigger: name },
      })),
    },
    live: 'connection',
  },
)
/** A hint that a watched calendar has changed over there: `list-calendar-changes` tells what. Several changes may be told as one. */
export const calendarChanged = event(
  'integrations.calendar_changed',
  z.object({ connection_id: z.uuid(), service_name: plain(z.string()) }),
  { trigger: { title: 'A connected calendar has changed', description: 'With the app and the connection.' } },
)
/** A rule of the person's paused a campaign whose results became too expensive. */
export const adRuleApplied = event(
  'integrations.ad_rule_applied',
  z.object({
    rule_id: z.uuid(),
    campaign_id: plain(z.string()),
    campaign: personal(z.string()),
    currency: plain(z.string()),
    cost_cents: z.int(),
    most_cents: z.int(),
  }),
  {
    activity: () => 'Paused a campaign whose results cost too much',
    link: () => '/dashboard/meta-ads',
    notice: ({ campaign, cost_cents, most_cents, currency, rule_id }) => [
      {
        kind: 'ads',
        title: `${campaign} is paused`,
        body: `A result cost ${amount(cost_cents, currency)} in the last seven days, more than the ${amount(most_cents, currency)} of your rule. Resume it in the Meta Ads Manager.`,
        link: '/dashboard/meta-ads',
        about: rule_id,
      },
    ],
    trigger: { title: 'A rule paused a Meta campaign', description: 'With the campaign and what a result cost.' },
    live: 'ads',
  },
)
const amount = (cents: number, currency: string) => (cents / 100).toLocaleString('en-US', { style: 'currency', currency })

/** Nothing reached it for days, so nothing is sent any more until its owner resumes it. */
export const webhookPaused = event(
  'integrations.webhook_paused',
  z.object({ endpoint_id: z.uuid(), name: personal(z.string()), failing_since: z.iso.datetime() }),
  {
    notice: ({ name, failing_since }) => [
      {
        kind: 'webhook',
        title: `The webhook ${name} is paused`,
        body: `Every delivery has failed since ${day(failing_since)}. Fix the address, resume the webhook and replay the failed deliveries.`,
        link: '/dashboard/settings?section=webhooks',
      },
    ],
  },
)

export const webhookSweep = job('integrations.webhook_sweep', z.object({}))

/** Takes our access back at an app whose connection has ended. */
export const revokeAccess = job('integrations.revoke_access', z.object({ connection_id: z.uuid(), generation: z.int() }), { attempts: 12 })
/** Looks whether the results of campaigns have become too expensive. */
export const adRuleSweep = job('integrations.ad_rule_sweep', z.object({}))
/** Looks at the connections that are in use. */
export const connectionLook = job('integrations.connection_look', z.object({}))
/** Looks whether what is watched in connected apps has happened. */
export const watchSweep = job('integrations.watch_sweep', z.object({}))
/** Asks vendors again to tell before they stop, and tells what they said while we were telling. */
export const hookSweep = job('integrations.hook_sweep', z.object({}))
export const connectionSweep = job('integrations.connection_sweep', z.object({}))
