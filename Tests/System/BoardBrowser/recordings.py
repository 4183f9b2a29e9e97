"""Responses in the form of recordings for the sandbox, of cases that its generated movies have too rarely."""

import json
import pathlib
import tempfile

BEFORE, DAY = "2024-06-03", "2024-06-04"
LEADER, FOLLOWER = "20240001", "20240002"
CAST = [f"배우{number:02}" for number in range(1, 31)]


def line(rank, code, title, change=0, audience=10_000, total=500_000):
    """A line of a chart in the form of KOBIS."""
    figures = {"salesAmt": audience * 9_000, "salesInten": 0, "salesAcc": audience * 90_000, "audiCnt": audience, "audiInten": 0,
               "audiAcc": total, "scrnCnt": 900, "showCnt": 3_000}
    return {"rnum": str(rank), "rank": str(rank), "rankInten": str(change), "rankOldAndNew": "OLD", "movieCd": code, "movieNm": title,
            "openDt": "2024-05-22", "salesShare": "25.0", "salesChange": "0", "audiChange": "0"} | {
                name: str(value) for name, value in figures.items()}


def chart(day, *lines):
    digits = day.replace("-", "")
    return {"boxOfficeResult": {"boxofficeType": "일별 박스오피스", "showRange": f"{digits}~{digits}", "dailyBoxOfficeList": list(lines)}}


def written(responses):
    """Writes responses into a new folder, and returns it."""
    folder = tempfile.mkdtemp()
    for path, response in responses.items():
        file = pathlib.Path(folder, "kobis", f"{path}.json")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(response, ensure_ascii=False, separators=(",", ":")))
    return folder


def corrected():
    """Two days, the second of which was corrected on 2024-06-07, and a movie with a long cast.

    Before the correction that movie lost the lead. On the second day its audience passes a million.
    """
    first, second = (LEADER, "긴 출연진"), (FOLLOWER, "뒤따르는 영화")
    revisions = [chart(DAY, line(1, *second, 1, audience=20_000), line(2, *first, -1, total=1_000_000)),
                 chart(DAY, line(1, *first, audience=21_000, total=1_011_000), line(2, *second))]
    movie = {"movieInfoResult": {"movieInfo": {
        "movieCd": LEADER, "movieNm": "긴 출연진", "movieNmEn": "A Long Cast", "movieNmOg": "", "showTm": "120", "prdtYear": "2024",
        "openDt": "20240522", "prdtStatNm": "개봉", "typeNm": "장편", "nations": [{"nationNm": "한국"}], "genres": [{"genreNm": "드라마"}],
        "directors": [{"peopleNm": "감독", "peopleNmEn": "DIRECTOR"}],
        "actors": [{"peopleNm": name, "peopleNmEn": "", "cast": "", "castEn": ""} for name in CAST],
        "showTypes": [], "audits": [{"auditNo": "2024-1", "watchGradeNm": "12세이상관람가"}], "staffs": [],
        "companys": [{"companyCd": "1", "companyNm": "회사", "companyNmEn": "", "companyPartNm": "배급사"}]}}}
    return written({
        f"daily/{BEFORE}": chart(BEFORE, line(1, *first, audience=20_000, total=990_000), line(2, *second)),
        "revisions/20240604/20240604T160000Z": revisions[0], "revisions/20240604/20240607T000000Z": revisions[1],
        f"movie/{LEADER}": movie})


HIT, HIT_DAYS = "20240003", [f"2024-06-{day:02}" for day in range(1, 18)]


def hit():
    """Seventeen days of a movie that a million people a day see."""
    return written({
        f"daily/{day}": chart(day, line(1, HIT, "천만 영화", audience=1_000_000, total=500_000 + 1_000_000 * index))
        for index, day in enumerate(HIT_DAYS)})


LARGE = 12_345_678
LARGE_DAYS = [f"2024-05-{day}" for day in range(27, 32)] + [f"2024-06-0{day}" for day in range(1, 5)]


def large():
    """Nine days of ten movies with more admissions than any ever had."""
    lines = [line(rank, f"202400{rank:02}", f"아주 긴 제목의 영화 {rank}", audience=LARGE, total=LARGE) for rank in range(1, 11)]
    return written({f"daily/{day}": chart(day, *lines) for day in LARGE_DAYS})
