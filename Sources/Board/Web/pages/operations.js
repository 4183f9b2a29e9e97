import { h, refill } from '../lib/dom.js';
import { get } from '../lib/api.js';
import { isDate, span } from '../lib/dates.js';
import { count, day, dayRange, duration, instant, range, shortDay } from '../lib/format.js';
import { live } from '../lib/live.js';
import { becomesOperator, offer } from '../lib/visitor.js';
import { addWords, hasWord, langOf, language, t } from '../lib/words.js';
import { sentence as shopSentence } from '../lib/shopWords.js';
import { failed, sentence } from '../parts/notices.js';

addWords({
  'operations.title': ['운영', 'Operations'],
  'operations.worker': ['수집 서버', 'Worker'],
  'operations.notifier': ['알림 서버', 'Notifier'],
  'operations.board': ['보드', 'Board'],
  'operations.up': ['정상', 'Running'],
  'operations.down': ['응답 없음', 'No response'],
  'operations.uptime': ['가동 시간', 'Uptime'],
  'operations.process': ['프로세스', 'Process'],
  'operations.workers': ['수집 서버 목록', 'Workers'],
  'operations.silence': ['마지막 신호', 'Last seen'],
  'operations.silenceValue': ['{0} 전', '{0} ago'],
  'operations.requests': ['할당된 요청', 'Claimed requests'],
  'operations.role': ['역할', 'Role'],
  'operations.leader': ['리더', 'Leader'],
  'operations.version': ['버전', 'Version'],
  'operations.browsers': ['접속 중인 브라우저', 'Connected browsers'],
  'operations.liveUpdates': ['전송한 이벤트', 'Events sent'],
  'operations.queue': ['대기열', 'Queue'],
  'operations.queue.live': ['실시간 요청', 'Live requests'],
  'operations.queue.backfill': ['과거 데이터 수집', 'Backfill'],
  'operations.quota': ['오늘의 API 호출 한도', 'API calls left today'],
  'operations.quotaValue': ['{1}회 중 {0}회 남음', '{0} of {1} left'],
  'operations.positions': ['스트림별 이벤트 번호', 'Event numbers by stream'],
  'operations.next': ['다음 실행 예정', 'Next runs'],
  'operations.sinks': ['알림 발송', 'Deliveries'],
  'operations.noSinks': ['알림 채널이 설정되지 않았습니다. 알림은 이 보드에만 표시됩니다.', 'No sinks are configured: alerts appear on this board only.'],
  'operations.sink': ['알림 채널', 'Sink'],
  'operations.sent': ['발송', 'Sent'],
  'operations.waiting': ['대기', 'Waiting'],
  'operations.dead': ['실패', 'Failed'],
  'operations.deadLong': ['여러 번 시도했으나 발송하지 못했습니다. marquee notify retry로 다시 발송할 수 있습니다.', 'Delivery failed repeatedly. Retry with marquee notify retry.'],
  'operations.backfill': ['과거 데이터 수집', 'Backfill'],
  'operations.backfillValue': ['{0} / {1}건', '{0} of {1}'],
  'operations.backfillOver': ['완료', 'Done'],
  'operations.backfillFailed': ['수집 실패 {0}건', '{0} not available'],
  'operations.until': ['{0}까지 일시 중지', 'Paused until {0}'],
  'operations.forOperator': ['API 호출 한도, 대기열, 알림 발송, 실패한 요청은 운영자에게만 표시됩니다.', 'Quota, queue, deliveries and failed requests are visible to the operator only.'],
  'operations.failures': ['최근 실패', 'Recent failures'],
  'operations.noFailures': ['최근 실패한 요청이 없습니다.', 'No recent failures.'],
  'operations.anomalies': ['데이터 이상', 'Anomalies'],
  'operations.day': ['날짜', 'Day'],
  'operations.movie': ['영화', 'Movie'],
  'anomaly.late': ['집계 지연', 'Late chart'],
  'anomaly.missing': ['일부 누락', 'Missing rows'],
  'anomaly.shrunk': ['누적관객수 감소', 'Decreased total'],
  'anomaly.unreadable': ['읽을 수 없는 값', 'Unreadable values'],
  'anomaly.repeated': ['동일 수치 반복', 'Repeated figures'],
  'anomaly.figures.missing': ['{0}편→{1}편', '{0} → {1} rows'],
  'anomaly.figures.shrunk': ['{0}명→{1}명', '{0} → {1}'],
  'operations.time': ['시각', 'Time'],
  'operations.request': ['요청', 'Request'],
  'operations.reason': ['사유', 'Reason'],
  'run.day': ['{0} 박스오피스', 'Chart of {0}'],
  'run.week': ['{0} 주간 박스오피스', 'Week of {0}'],
  'run.weekend': ['{0} 주말 박스오피스', 'Weekend of {0}'],
  'run.weekdays': ['{0} 주중 박스오피스', 'Weekdays of {0}'],
  'run.movie': ['{0} 신규 영화 정보', 'New movies of {0}'],
  'look.night': ['발표 직후', 'after publication'],
  'look.morning': ['오전 재확인', 'in the morning'],
  'look.noon': ['정오 재확인', 'at noon'],
  'look.evening': ['저녁 재확인', 'in the evening'],
  'look.second': ['2일 후 재확인', 'two days later'],
  'look.third': ['3일 후 재확인', 'three days later'],
  'look.seventh': ['7일 후 재확인', 'a week later'],
  'look.thirtieth': ['30일 후 재확인', '30 days later'],
  'look.again': ['재시도', 'retry'],
  'topic.fetch.day': ['{0} 박스오피스', 'Chart of {0}'],
  'topic.fetch.week': ['{0} 주간 박스오피스', 'Chart of the week of {0}'],
  'topic.fetch.movie': ['영화 {0}', 'Movie {0}'],
  'topic.fetch.products': ['상품 목록 {0}', 'Product list {0}'],
  'topic.fetch.catalogue': ['전체 상품 목록', 'All products'],
  'topic.fetch.product': ['상품 {0}', 'Product {0}'],
  'topic.product.register': ['상품 등록: {0}', 'Registering {0}'],
  'topic.product.modify': ['상품 {0} 수정', 'Changing product {0}'],
  'topic.product.remove': ['상품 {0} 삭제', 'Removing product {0}'],
  'stream.ranking': ['박스오피스', 'Charts'],
  'stream.movie': ['영화', 'Movies'],
  'stream.poster': ['포스터', 'Posters'],
  'stream.products': ['상품 목록', 'Product lists'],
  'stream.product': ['상품', 'Products'],
  'stream.request': ['요청', 'Requests'],
  'stream.alert': ['알림', 'Alerts'],
  'stream.anomaly': ['데이터 이상', 'Anomalies'],
  'service.kobis': ['영화진흥위원회', 'Korean Film Council'],
  'service.kakao': ['카카오 이미지 검색', 'Kakao image search'],
  'service.openmarket': ['오픈마켓', 'Open Market'],
});

const every = 5_000;
const named = (kind, word) => (hasWord(`${kind}.${word}`) ? t(`${kind}.${word}`) : word);

/** The state of the processes, requested every few seconds while the page is open. */
export function show(main, { signal }) {
  document.title = `${t('operations.title')} · marquee`;
  const places = cards.map(({ name, isWide }) => h('section', { class: `card ${name} ${isWide ? 'wide' : ''}`, hidden: true }, h('h2', {}, t(`operations.${name}`)), h('div', { class: 'content' })));
  const body = h('div', { class: 'cards' }, places);
  const signIn = h('button', { type: 'button', class: 'plain', hidden: true, async onclick() {
    if (await becomesOperator(t('operations.forOperator'), signal)) load();
  } }, t('operator.signIn'));
  const note = h('p', { class: 'state forOperator', hidden: true }, t('operations.forOperator'), ' ', signIn);
  offer(signIn, signal);
  main.replaceChildren(h('div', { class: 'head' }, h('div', { class: 'title' }, h('h1', {}, t('operations.title'))), note), body);

  async function load() {
    if (document.hidden) return;
    try {
      const status = await get('status', signal);
      if (!places[0].isConnected) body.replaceChildren(...places);
      note.hidden = status.isWhole;
      cards.forEach(({ of, draw }, index) => {
        const value = of(status);
        places[index].hidden = !value;
        if (value) refill(places[index].lastChild, value, draw);
      });
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

/** The cards in their order: the part of the status that each shows (no card if it is missing), and how. */
const cards = [
  { name: 'worker', of: ({ processes }) => [processes.worker], draw: ([status]) => running(status) },
  { name: 'notifier', of: ({ processes }) => [processes.notifier], draw: ([status]) => running(status) },
  { name: 'board', of: ({ board }) => board, draw: (board) => [lamp(true), rows([
    [t('operations.version'), board.version], [t('operations.browsers'), count(board.browsers)], [t('operations.liveUpdates'), count(board.liveUpdates)],
  ])] },
  { name: 'workers', isWide: true, of: ({ processes }) => processes.worker?.workers, draw: sharing },
  { name: 'quota', of: ({ processes }) => processes.worker?.quota, draw: quotaLeft },
  { name: 'queue', of: ({ processes }) => processes.worker?.queue, draw: (queue) =>
    rows(Object.entries(queue).map(([word, value]) => [named('operations.queue', word), count(value)])) },
  { name: 'sinks', of: ({ processes }) => processes.notifier?.sinks, draw: deliveries },
  { name: 'backfill', isWide: true, of: ({ processes }) => (processes.worker?.backfill?.total > 0 ? processes.worker.backfill : null), draw: progress },
  { name: 'next', isWide: true, of: ({ processes }) => (processes.worker?.schedule?.length ? processes.worker.schedule : null), draw: (schedule) =>
    rows(schedule.map(({ what, at }) => [run(what), h('time', { datetime: at }, instant(at))])) },
  { name: 'positions', isWide: true, of: ({ processes: { worker, notifier } }) => (worker?.positions || notifier?.positions) && { ...worker?.positions, ...notifier?.positions }, draw: (positions) =>
    rows(Object.entries(positions).map(([stream, place]) => [named('stream', stream), count(Number(place))])) },
  { name: 'anomalies', isWide: true, of: ({ anomalies }) => (anomalies.length ? anomalies : null), draw: oddities },
  { name: 'failures', isWide: true, of: ({ failures }) => failures, draw: failuresOf },
];

const rows = (pairs) => h('dl', {}, pairs.map(([term, value]) => h('div', {}, h('dt', {}, term), h('dd', {}, value))));

const lamp = (isUp) => h('p', { class: `lamp ${isUp ? 'up' : 'down'}`, 'data-state': isUp ? 'open' : 'lost' },
  h('span', { class: 'dot', 'aria-hidden': 'true' }), t(isUp ? 'operations.up' : 'operations.down'));

const running = (status) => [lamp(Boolean(status)), status && rows([
  status.version && [t('operations.version'), status.version],
  status.name && [t('operations.process'), status.name],
  status.uptime !== undefined && [t('operations.uptime'), duration(status.uptime)],
].filter(Boolean))];

/** The workers that share a database. */
function sharing(workers) {
  return tableOf(t('operations.workers'), ['process', 'role', 'silence', 'requests'], workers.map(({ name, silence, requests, isLeader }) =>
    [name, isLeader ? t('operations.leader') : '', t('operations.silenceValue', duration(silence)), count(requests)]), 2);
}

/** A progress bar with its figures beside it, which also say it for screen readers. */
const meter = (title, value, most, text) => h('div', { class: 'meter' },
  h('span', {}, title), h('span', { class: 'value' }, text),
  h('progress', { value, max: most, 'aria-label': `${title}: ${text}` }));

function quotaLeft(quota) {
  return Object.entries(quota).map(([service, { left, limit }]) =>
    meter(named('service', service), left, limit, t('operations.quotaValue', count(left), count(limit))));
}

function progress({ first, last, total, done, failed, isOver, rests, restsUntil }) {
  const words = [
    isOver && t('operations.backfillOver'), failed > 0 && t('operations.backfillFailed', count(failed)),
    rests && `${sentence({ code: rests })}${restsUntil ? ` ${t('operations.until', instant(restsUntil))}` : ''}`,
  ].filter(Boolean);
  return [
    meter(range(first, last), done + failed, total, t('operations.backfillValue', count(done + failed), count(total))),
    words.length > 0 && h('p', { class: 'state' }, words.join(' · ')),
  ];
}

/** The name of a scheduled request in words: `day.2024-06-04.morning`, `weekend.2024-06-07.third.2`, `movie.20234675.2024-06-04`. */
function run(what) {
  const [kind, ...rest] = what.split('.');
  const date = rest.find(isDate);
  if (!date || !hasWord(`run.${kind}`)) return what;
  const look = rest[rest.indexOf(date) + 1];
  const words = [t(`run.${kind}`, kind === 'movie' ? day(date) : dayRange(...span(kind, date))), hasWord(`look.${look}`) && t(`look.${look}`), rest.length > 2 && t('look.again')];
  return words.filter(Boolean).join(' · ');
}

/** The outcomes of the deliveries of alerts, by sink. */
function deliveries(sinks) {
  const names = Object.keys(sinks).sort();
  if (!names.length) return h('p', { class: 'state' }, t('operations.noSinks'));
  const lines = names.map((name) => {
    const { sent, waiting, dead } = sinks[name];
    return [name, count(sent), count(waiting), dead ? h('strong', { class: 'bad' }, count(dead)) : count(dead)];
  });
  return [
    tableOf(t('operations.sinks'), ['sink', 'sent', 'waiting', 'dead'], lines, 1),
    names.some((name) => sinks[name].dead) && h('p', { class: 'state' }, t('operations.deadLong')),
  ];
}

function oddities(anomalies) {
  return tableOf(t('operations.anomalies'), ['time', 'day', 'movie', 'reason'], anomalies.map(({ time, anomaly }) => [
    h('time', { datetime: time }, instant(time)),
    h('a', { href: `day/${anomaly.date}` }, shortDay(anomaly.date)),
    anomaly.movieCode ? h('a', { href: `movie/${anomaly.movieCode}`, lang: langOf(anomaly.title ?? '') }, anomaly.title ?? anomaly.movieCode) : '–',
    [h('strong', {}, named('anomaly', anomaly.kind)), ' ', language() === 'en' ? anomaly.text : figures(anomaly)],
  ]));
}

/** The figures that show an anomaly; its sentence is in English. */
const figures = ({ kind, field, expected, found }) =>
  field ? `${field} (${count(found)})`
    : (hasWord(`anomaly.figures.${kind}`) && expected !== null ? t(`anomaly.figures.${kind}`, count(expected), count(found)) : '');

function failuresOf(failures) {
  if (!failures.length) return h('p', { class: 'state' }, t('operations.noFailures'));
  return tableOf(t('operations.failures'), ['time', 'request', 'reason'], failures.map(({ time, failed: { topic, request, error } }) => [
    h('time', { datetime: time }, instant(time)),
    asked(topic, request),
    h('span', { title: error.code }, /product|catalogue/.test(topic) ? shopSentence(error) : sentence(error, topic)),
  ]));
}

/** The subject of a request in words. */
function asked(topic, request) {
  const subject = request.date ? (isDate(request.date) ? shortDay(request.date) : request.date) : request.code ?? request.product ?? request.name ?? request.page ?? '';
  return hasWord(`topic.${topic}`) ? t(`topic.${topic}`, subject) : `${topic} ${subject}`;
}

/** A table whose columns from `figures` on are numbers; without `figures` the last column may be long. */
function tableOf(label, headings, lines, figures = Infinity) {
  const kind = (index) => (index >= figures ? 'number' : figures === Infinity && index === headings.length - 1 ? 'long' : null);
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, h('table', { class: 'data' },
    h('thead', {}, h('tr', {}, headings.map((word, index) => h('th', { scope: 'col', class: kind(index) }, t(`operations.${word}`))))),
    h('tbody', {}, lines.map((cells) => h('tr', {}, cells.map((cell, index) => h('td', { class: kind(index) }, cell)))))));
}
