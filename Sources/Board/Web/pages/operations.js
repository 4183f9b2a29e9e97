import { h } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { count, duration, instant } from '../lib/format.js';
import { live } from '../lib/live.js';
import { addWords, hasWord, t } from '../lib/words.js';
import { failed, sentence } from '../parts/notices.js';

addWords({
  'operations.title': ['운영', 'Operations'],
  'operations.worker': ['수집기', 'Worker'],
  'operations.notifier': ['알림기', 'Notifier'],
  'operations.board': ['보드', 'Board'],
  'operations.up': ['작동 중', 'Running'],
  'operations.down': ['응답 없음', 'No answer'],
  'operations.uptime': ['가동 시간', 'Uptime'],
  'operations.version': ['버전', 'Version'],
  'operations.browsers': ['보고 있는 브라우저', 'Browsers that watch'],
  'operations.news': ['보낸 소식', 'News sent'],
  'operations.queue': ['대기열', 'Queue'],
  'operations.queue.live': ['바로 할 요청', 'Live requests'],
  'operations.queue.backfill': ['과거 채우기', 'Backfill'],
  'operations.quota': ['오늘의 호출 한도', 'Quota of the day'],
  'operations.quotaValue': ['{0} / {1} 남음', '{0} of {1} left'],
  'operations.positions': ['기록 위치', 'Positions in the logs'],
  'operations.stream': ['흐름', 'Stream'],
  'operations.position': ['위치', 'Position'],
  'operations.next': ['다음 실행', 'Next runs'],
  'operations.backfill': ['과거 채우기', 'Backfill'],
  'operations.backfillValue': ['{1}건 가운데 {0}건', '{0} of {1}'],
  'operations.backfillOver': ['끝남', 'Done'],
  'operations.backfillFailed': ['못 받은 것 {0}건', '{0} not to be had'],
  'operations.until': ['{0}까지 쉽니다.', 'It rests until {0}.'],
  'operations.failures': ['최근 실패', 'Recent failures'],
  'operations.noFailures': ['최근에 실패한 요청이 없습니다.', 'No request has failed lately.'],
  'operations.anomalies': ['이상한 숫자', 'Odd figures'],
  'operations.day': ['날', 'Day'],
  'operations.film': ['영화', 'Film'],
  'anomaly.late': ['늦는 차트', 'Late chart'],
  'anomaly.missing': ['빠진 줄', 'Missing lines'],
  'anomaly.shrunk': ['줄어든 누적', 'Shrunken total'],
  'anomaly.repeated': ['되풀이된 숫자', 'Repeated figures'],
  'operations.time': ['때', 'When'],
  'operations.request': ['요청', 'Request'],
  'operations.reason': ['까닭', 'Why'],
  'stream.ranking': ['차트', 'Charts'],
  'stream.movie': ['영화', 'Films'],
  'stream.poster': ['포스터', 'Posters'],
  'stream.request': ['요청', 'Requests'],
  'stream.alert': ['알림', 'Alerts'],
  'stream.anomaly': ['이상', 'Anomalies'],
  'service.kobis': ['영화진흥위원회', 'Korean Film Council'],
  'service.kakao': ['카카오 이미지 검색', 'Kakao image search'],
});

const every = 5_000;
const name = (kind, word) => (hasWord(`${kind}.${word}`) ? t(`${kind}.${word}`) : word);

/** How the processes are, looked at every few seconds while the page is. */
export function show(main, { signal }) {
  document.title = `${t('operations.title')} · marquee`;
  const body = h('div', { class: 'cards' });
  main.replaceChildren(h('div', { class: 'head' }, h('div', { class: 'title' }, h('h1', {}, t('operations.title')))), body);

  async function load() {
    if (document.hidden) return;
    try {
      const status = await get('status', signal);
      body.replaceChildren(...cards(status));
    } catch (failure) {
      if (failure.name !== 'AbortError') body.replaceChildren(failed(failure, load));
    }
  }

  const timer = setInterval(load, every);
  signal.addEventListener('abort', () => clearInterval(timer));
  live.on('link', load, signal);
  live.on('anomaly', load, signal);
  live.on('state', load, signal);
  load();
}

const card = (title, ...content) => h('section', { class: 'card' }, h('h2', {}, title), content);
const rows = (pairs) => h('dl', {}, pairs.map(([term, value]) => h('div', {}, h('dt', {}, term), h('dd', {}, value))));

function cards({ processes, board, failures, anomalies }) {
  const { worker, notifier } = processes;
  return [
    processCard('worker', worker),
    processCard('notifier', notifier),
    card(t('operations.board'), lamp(true), rows([
      [t('operations.version'), board.version],
      [t('operations.browsers'), count(board.browsers)],
      [t('operations.news'), count(board.news)],
    ])),
    worker && quotaCard(worker.quota ?? {}),
    worker && card(t('operations.queue'), rows(Object.entries(worker.queue ?? {}).map(([word, value]) => [name('operations.queue', word), count(value)]))),
    worker && backfillCard(worker.backfill),
    worker && nextCard(worker.schedule),
    positionsCard({ ...worker?.positions, ...notifier?.positions }),
    anomalies.length ? anomalyCard(anomalies) : null,
    failureCard(failures),
  ].filter(Boolean);
}

const lamp = (isUp) => h('p', { class: `lamp ${isUp ? 'up' : 'down'}`, 'data-state': isUp ? 'open' : 'lost' },
  h('span', { class: 'dot', 'aria-hidden': 'true' }), t(isUp ? 'operations.up' : 'operations.down'));

function processCard(word, status) {
  return card(t(`operations.${word}`), lamp(Boolean(status)), status && rows([
    [t('operations.version'), status.version],
    [t('operations.uptime'), duration(status.uptime)],
  ]));
}

/** A bar with its figures beside it; how full it is, the figures say. */
const meter = (title, value, most, text) => h('div', { class: 'meter' },
  h('span', {}, title), h('span', { class: 'value' }, text),
  h('progress', { value, max: most, 'aria-label': `${title}: ${text}` }));

function quotaCard(quota) {
  return card(t('operations.quota'), Object.entries(quota).map(([service, { left, limit }]) =>
    meter(name('service', service), left, limit, t('operations.quotaValue', count(left), count(limit)))));
}

function backfillCard(backfill) {
  if (!backfill || !(backfill.total > 0)) return null;
  const { first, last, total, done, failed, isOver, rests, restsUntil } = backfill;
  return card(t('operations.backfill'),
    meter(`${first} – ${last}`, done + failed, total, t('operations.backfillValue', count(done + failed), count(total))),
    h('p', { class: 'state' }, [
      isOver && t('operations.backfillOver'), failed ? t('operations.backfillFailed', count(failed)) : null,
      rests && `${sentence({ code: rests })}${restsUntil ? ` ${t('operations.until', instant(restsUntil))}` : ''}`,
    ].filter(Boolean).join(' · ')));
}

function nextCard(schedule) {
  if (!schedule?.length) return null;
  return card(t('operations.next'), rows(schedule.slice(0, 8).map(({ what, at }) => [what, instant(at)])));
}

function positionsCard(positions) {
  if (!Object.keys(positions).length) return null;
  return card(t('operations.positions'), rows(Object.entries(positions).map(([stream, place]) => [name('stream', stream), count(Number(place))])));
}

function anomalyCard(anomalies) {
  const section = card(t('operations.anomalies'), tableOf(t('operations.anomalies'), ['time', 'day', 'film', 'reason'], anomalies.map(({ time, anomaly }) => [
    h('time', { datetime: time }, instant(time)),
    h('a', { href: `day/${anomaly.date}` }, anomaly.date),
    anomaly.movieCode ? h('a', { href: `movie/${anomaly.movieCode}` }, anomaly.title ?? anomaly.movieCode) : '–',
    [h('strong', {}, name('anomaly', anomaly.kind)), ' ', anomaly.text],
  ])));
  section.classList.add('wide');
  return section;
}

const tableOf = (label, headings, lines) => h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, h('table', { class: 'data' },
  h('thead', {}, h('tr', {}, headings.map((word) => h('th', { scope: 'col' }, t(`operations.${word}`))))),
  h('tbody', {}, lines.map((cells) => h('tr', {}, cells.map((cell, index) => h('td', { class: index === cells.length - 1 ? 'long' : null }, cell)))))));

function failureCard(failures) {
  const section = card(t('operations.failures'));
  section.classList.add('wide');
  if (!failures.length) section.append(h('p', { class: 'state' }, t('operations.noFailures')));
  else section.append(tableOf(t('operations.failures'), ['time', 'request', 'reason'], failures.map(({ time, failed: { topic, request, error } }) => [
    h('time', { datetime: time }, instant(time)),
    [topic, request.date ?? request.code].filter(Boolean).join(' '),
    [h('code', {}, error.code), ' ', sentence(error)],
  ])));
  return section;
}
